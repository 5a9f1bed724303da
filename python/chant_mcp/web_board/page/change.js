// Editing: title, labels, dependencies and criteria in a form, a section as
// text. What was seen is sent with what is wanted: where somebody was faster, nothing is written, and of a section both
// texts are shown.

/** Takes what it needs of the page, and gives the two ways to edit. */
function makeEditor({ QUIETLY, askForm, button, buttons, call, decide, drawer, fill, headingText, idOf, make, perform, report, showTab }) {
  /** Asks for the attributes of an item, each with what it says now. */
  async function editItem({ key, version, dialect, title, labels = [], depends_on: waits = [], criteria = [] }) {
    const isSpec = dialect === "chant";
    const given = await askForm("Edit", [
      { name: "title", label: "Title", value: title, isNeeded: true },
      isSpec && { name: "labels", label: "Labels, with commas", value: labels.join(", ") },
      { name: "depends_on", label: "Depends on: IDs, with commas", value: waits.map(idOf).map((id) => id.split("#").pop()).join(", ") },
      isSpec && { name: "criteria", label: "Done when (one line each)", value: criteria.map(({ text }) => text).join("\n"), isLong: true },
    ].filter(Boolean), "Save");
    return given && decide("change", { key, version, ...given });
  }

  async function startEdit(key, section) {
    const { text: seen } = await call("board_section", { key, section });
    const input = make("textarea.source", { value: seen, rows: 16, aria: headingText(section) });
    const editing = { key, section, seen, input, conflict: make("div") };
    const save = () => saveEdit(editing).catch(report);
    drawer.isEditing = true;
    drawer.panel.signature = "";
    fill(drawer.panel, make("div", { onkeydown: (event) => pressInEditor(event, save) }, make("h3", headingText(section)), editing.conflict, input,
      buttons(button("Cancel", stopEdit), button("Save", save, { look: ".main" }))));
    input.focus();
    input.setSelectionRange(0, 0);
  }

  function pressInEditor(event, save) {
    if (event.key === "Escape") stopEdit();
    else if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return;
    else save();
    event.preventDefault();
  }

  function stopEdit() {
    drawer.isEditing = false;
    showTab();
    drawer.element.querySelector("h2").focus(QUIETLY);
  }

  async function saveEdit(editing) {
    const { key, section, seen, input } = editing;
    const text = input.value.replace(/^\n+|\s+$/g, "");
    const write = async (before, after) => (await decide("edit", { key, section, seen: before, text: after })).text;
    try {
      const reported = await write(seen, text);
      stopEdit();
      await perform(async () => ({ text: reported, undo: () => write(text, seen) }));
    } catch (error) {
      if (!error.details?.conflict) throw error;
      showConflict(editing, error.details.conflict);
    }
  }

  function showConflict(editing, { theirs }) {
    // From then on their text is what was seen: saving writes over it knowingly.
    const settle = (text) => {
      Object.assign(editing, { seen: theirs });
      editing.input.value = text;
      fill(editing.conflict);
      editing.input.focus();
    };
    fill(editing.conflict, make("div.conflict", { role: "alert" }, make("b", "Somebody changed this section first; nothing was written."), make("p", "The file says this now. Your text is below."),
      make("pre", { tabIndex: 0, aria: "What the file says now" }, theirs),
      buttons(button("Take theirs", () => settle(theirs)), button("Keep mine", () => settle(editing.input.value)))));
  }

  return { editItem, startEdit };
}
