// What can be edited, and the script that edits, which is loaded when a person first asks for it.

const canEdit = ({ dialect, sections }) => canDecide() && ["chant", "tickets"].includes(dialect) && sections?.length > 0;

/** Gives the heading of a section, which is named with its marks (`## Rules`). */
const headingText = (section) => section.replace(/^#+ /, "");

let editor = null;

async function loadEditor() {
  editor ??= (await import("/board/change.js")).makeEditor({ QUIETLY, askForm, button, buttons, call, decide, drawer, fill, headingText, idOf, make, perform, report, showTab });
  return editor;
}

const editAct = (item) => ["Edit…", async () => (await loadEditor()).editItem(item)];

const editButton = (item, section) => button("edit", () => loadEditor().then((it) => it.startEdit(item.key, section)).catch(report), { look: ".quiet.edit", aria: `Edit ${headingText(section)}`, at: `edit ${section}` });
