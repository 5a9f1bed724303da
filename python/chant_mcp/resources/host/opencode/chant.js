// Adds what a session should know at its start, and again when it is compacted.
export const Chant = async ({ $, directory }) => {
  const prime = async () => {
    try {
      return (await $`chant-mcp prime --hook session.start.text --project ${directory}`.quiet().text()).trim()
    } catch {
      return "" // a session begins also where the program is not installed
    }
  }
  return {
    "experimental.chat.system.transform": async (_input, output) => {
      const text = await prime()
      if (text) output.system.push(text)
    },
    "experimental.session.compacting": async (_input, output) => {
      const text = await prime()
      if (text) output.context.push(text)
    },
  }
}
