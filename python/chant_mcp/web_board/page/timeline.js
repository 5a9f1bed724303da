// Past and planned work along one axis, in hours. What is planned comes in seconds from now.

const SPANS = { Day: 24, Week: 168, Month: 720, Year: 8760 };
const timeline = { span: 0, found: null, rows: [] };

const timelineScreen = {
  title: "Timeline",
  show(place) {
    timeline.bar = make("div.filters");
    timeline.axis = make("div.axis", { "aria-hidden": true });
    timeline.list = new WindowedRows({
      label: "Timeline",
      height: 34,
      keyOf: ({ id }) => id,
      load: async (offset) => timeline.rows.slice(offset, offset + PAGE),
      show: barNodes,
      open: ({ key }) => go(`item/${key}`),
    });
    fill(place, make("div.timeline", timeline.bar, timeline.axis, timeline.list.element));
  },
  async refresh() {
    timeline.found = await call("board_timeline");
    await showTimeline();
  },
};

function showTimeline() {
  const { past, planned, now } = timeline.found;
  const hours = (iso) => (Date.parse(iso ?? now) - Date.parse(now)) / 3_600_000;
  const rows = [
    ...past.map((run, place) => ({ ...run, id: `past ${place}`, from: hours(run.start), to: hours(run.end) })),
    ...planned.map((item) => ({ ...item, id: item.key, from: item.start / 3600, to: item.end / 3600, isPlanned: true })),
  ].sort((one, other) => one.from - other.from);
  const far = (row) => Math.max(-row.from, row.to);
  // The shortest span in which all rows begin or end.
  timeline.span ||= Object.values(SPANS).find((span) => rows.every((row) => far(row) <= span)) ?? SPANS.Year;
  timeline.behind = past.length && timeline.span;
  timeline.ahead = Math.min(timeline.span, rows.reduce((most, { to }) => Math.max(most, to), timeline.span / 10));
  timeline.rows = rows.filter((row) => row.to >= -timeline.behind && row.from <= timeline.ahead).map((row) => ({ ...row, left: placeOf(row.from), right: placeOf(row.to) }));
  showAxis();
  return timeline.list.refresh(timeline.rows.length, timeline.rows.slice(0, PAGE));
}

/** Gives the place of an hour on the axis, in percent. */
const placeOf = (hour) => Math.min(100, Math.max(0, (100 * (hour + timeline.behind)) / (timeline.behind + timeline.ahead)));

function placed(element, from, to) {
  element.style.left = `${from}%`;
  if (to !== undefined) element.style.width = `max(4px, ${to - from}%)`;
  return element;
}

function showAxis() {
  const { span, behind, ahead, rows } = timeline;
  redraw(timeline.bar, [span, rows.length], () => [
    Object.entries(SPANS).map(([name, hours]) => button(name, () => ((timeline.span = hours), showTimeline()), { ...pressed(hours === span), at: name })),
    muted(`${counted(rows.length, "row")}; ${timeline.found.known_runs ? "by estimates" : "nothing is estimated yet: all items are equally long"}, as if all that is ready began now`),
  ]);
  const ticks = [-1, -0.5, 0, 0.5, 1].map((part) => part * span).filter((hour) => hour >= -behind && hour <= ahead);
  fill(timeline.axis, make("div.axis-room", ticks.map((hour) => placed(make(hour ? "span.tick" : "span.tick.is-now", tickWord(hour)), placeOf(hour)))));
}

function tickWord(hour) {
  if (!hour) return "now";
  const far = Math.abs(hour);
  return (hour < 0 ? "−" : "+") + (far < 48 ? `${far} h` : `${Math.round(far / 24)} d`);
}

function barNodes({ title, isPlanned, critical, outcome, from, to, left, right }) {
  const look = isPlanned ? `planned${critical ? ".is-critical" : ""}` : `past${outcome === "failed" ? ".is-failed" : ""}`;
  const planWord = () => (timeline.found.known_runs ? `${from > 0 ? `in ${durationWord(from * 3600)}` : "now"}, takes ${durationWord((to - from) * 3600)}` : "no estimate");
  const words = isPlanned ? `${planWord()}${critical ? ", critical" : ""}` : `${stateWord(outcome)}, ${durationWord((to - from) * 3600)}`;
  return [make("span.row-title", { title: plain(title) }, title), make("span.row-words", words),
    make("span.track", { "aria-hidden": true }, placed(make("span.now-line"), placeOf(0)), placed(make(`span.span.${look}`), left, right))];
}
