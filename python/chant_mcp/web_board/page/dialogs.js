// Small forms and notices. The forms are no `<form>`: the policy and a host's sandbox let none be sent.

/** Asks for some fields; gives their values by name, or null where the person left. */
function askForm(title, fields, actLabel, ...more) {
  return new Promise((resolve) => {
    const inputs = fields.map(({ name, label, options, value, isLong, isNeeded }) => {
      const input = options ? choice(label, options, value) : make(isLong ? "textarea" : "input", { rows: 4, required: isNeeded, value });
      return { name, input, label: make("label", label, input) };
    });
    const submit = () => {
      const missing = inputs.find(({ input }) => !input.checkValidity() || (input.required && !input.value.trim()));
      if (missing) return missing.input.focus();
      resolve(Object.fromEntries(inputs.map(({ name, input }) => [name, input.value.trim()])));
      return dialog.close();
    };
    const dialog = openDialog(title, more, inputs.map(({ label }) => label),
      buttons(button("Cancel", () => dialog.close()), button(actLabel, submit, { look: ".main" })));
    dialog.addEventListener("keydown", (event) => isSubmit(event) && (event.preventDefault(), submit()));
    dialog.addEventListener("close", () => resolve(null));
  });
}

const isSubmit = (event) => event.key === "Enter" && (event.ctrlKey || event.metaKey || event.target.localName === "input");

function openDialog(title, ...children) {
  const before = document.activeElement;
  const dialog = make("dialog", { aria: title }, make("h2", title), children);
  dialog.addEventListener("close", () => (dialog.remove(), before.isConnected && before.focus(QUIETLY)));
  document.body.append(dialog);
  dialog.showModal();
  return dialog;
}

const report = (error) => notify(error?.message ?? error, null, ".is-error");

/** Shows a notice, also to people who listen; one about an error stays until it is closed. */
function notify(text, act, look = "") {
  const line = String(text).slice(0, 600);
  fill(byId("status"), line);
  const notice = make(`div.notice${look}`, make("p", line), act && button(act.label, () => (notice.remove(), act.run())),
    button("✕", () => notice.remove(), { aria: "Close notice" }));
  const place = byId("notices");
  if (place.children.length > 2) place.firstChild.remove();
  place.append(notice);
  if (!look) setTimeout(() => notice.matches(":hover, :focus-within") || notice.remove(), act ? 12_000 : 5000);
}
