// The TypeScript SDK, 2.x, in both eras: a line of standard input is a step, a line of standard output what came of it.
import { createInterface } from "node:readline";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { answerSteps, EventQueue } from "./typescript_steps.mjs";

const MODERN = "2026-07-28";
const events = new EventQueue();
let client;

const connect = async ({ command: [command, ...args] = [], cwd, url, era }) => {
  const mode = era === "modern" ? { pin: MODERN } : era;
  client = new Client({ name: "outside", version: "1" }, { versionNegotiation: { mode } });
  client.setNotificationHandler("notifications/resources/updated", ({ params }) => events.put(params.uri));
  client.setNotificationHandler("notifications/resources/list_changed", () => events.put("resources"));
  client.setNotificationHandler("notifications/tools/list_changed", () => events.put("tools"));
  const transport = url
    ? new StreamableHTTPClientTransport(new URL(url))
    : new StdioClientTransport({ command, args, cwd, env: process.env });
  await client.connect(transport);
  return client.getNegotiatedProtocolVersion();
};
const subscribe = ({ uri }) =>
  client.getNegotiatedProtocolVersion() === MODERN
    ? client.listen({ resourceSubscriptions: [uri], resourcesListChanged: true, toolsListChanged: true })
    : client.subscribeResource({ uri });

await answerSteps(createInterface({ input: process.stdin }), () => client, events, { connect, subscribe });
