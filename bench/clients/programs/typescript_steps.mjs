// What clients of both lines of the TypeScript SDK do alike.

/** Events in the order in which they came, each taken once. */
export class EventQueue {
  #heard = [];
  #wake = () => {};

  put(event) {
    this.#heard.push(event);
    this.#wake();
  }

  /** Wait for an event; those before it are dropped. */
  async take(event) {
    while (!this.#heard.includes(event)) {
      await new Promise((resolve) => (this.#wake = resolve));
    }
    this.#heard.splice(0, this.#heard.indexOf(event) + 1);
  }
}

/** Take the steps of some lines until there are no more. */
export const answerSteps = async (lines, clientOf, events, { connect, subscribe }) => {
  const steps = {
    connect,
    subscribe: async (step) => (await subscribe(step), ""),
    tools: async () => (await clientOf().listTools()).tools.map(({ name }) => name),
    resources: async () => {
      const uris = [];
      let cursor;
      do {
        const { resources, nextCursor } = await clientOf().listResources(cursor && { cursor });
        uris.push(...resources.map(({ uri }) => uri));
        cursor = nextCursor;
      } while (cursor);
      return uris;
    },
    templates: async () =>
      (await clientOf().listResourceTemplates()).resourceTemplates.map(({ uriTemplate }) => uriTemplate),
    prompts: async () => (await clientOf().listPrompts()).prompts.map(({ name }) => name),
    read: async ({ uri }) => (await clientOf().readResource({ uri })).contents[0].text,
    complete: async ({ template, argument, value }) => {
      const ref = { type: "ref/resource", uri: template };
      return (await clientOf().complete({ ref, argument: { name: argument, value } })).completion.values;
    },
    hear: async ({ event }) => (await events.take(event), event),
    call: async ({ name, arguments: given }) => {
      const { content, isError } = await clientOf().callTool({ name, arguments: given });
      if (isError) throw new Error(content[0].text);
      return content[0].text;
    },
  };
  for await (const line of lines) {
    const step = JSON.parse(line);
    let answer;
    try {
      answer = { got: await steps[step.do](step) };
    } catch (error) {
      answer = { error: String(error) };
    }
    process.stdout.write(`${JSON.stringify(answer)}\n`);
  }
  await clientOf().close();
};
