// What can be edited, and the scripts that are loaded when a person first asks for them.

const canEdit = ({ dialect, sections }) => canDecide() && ["chant", "tickets"].includes(dialect) && sections?.length > 0;

/** Gives the heading of a section, which is named with its marks (`## Rules`). */
const headingText = (section) => section.replace(/^#+ /, "");

let later = null;

/** Loads what is not needed at first; in a host, which loads nothing, it is in the page. */
async function loadLater() {
  later ??= (host.isThere ? makeLater : (await import("/board/change.js")).makeLater)({
    QUIETLY, SCREENS, THEMES, actButton, actsOf, askForm, board, button, buttons, call, canAct, canDecide, chip, counted, decide, drawer, fill, go,
    headingText, host, idOf, keys, make, meaningMark, muted, note, openDialog, perform, pressed, report, setTheme, shortId, showTab, startSearch,
    stateWord, switchLetters, undoLast,
  });
  return later;
}

const runLater = (name, ...given) => loadLater().then((it) => it[name](...given)).catch(report);
const addItem = () => canAct() && runLater("addItem");
const showKeys = () => runLater("showKeys");

function reviewPlace({ key }) {
  const place = make("div", note("…"));
  runLater("showReview", key, place);
  return place;
}

const editAct = (item) => ["Edit…", async () => (await loadLater()).editItem(item)];

const editButton = (item, section) => button("edit", () => runLater("startEdit", item.key, section), { look: ".quiet.edit", aria: `Edit ${headingText(section)}`, at: `edit ${section}` });
