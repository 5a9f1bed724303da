// The TypeScript SDK, 1.x: a line of standard input is a step, a line of standard output what came of it.
import { createInterface } from "node:readline";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import {
  ResourceListChangedNotificationSchema,
  ResourceUpdatedNotificationSchema,
  ToolListChangedNotificationSchema,
} from "@modelcontextprotocol/sdk/types.js";
import { answerSteps, EventQueue } from "./typescript_steps.mjs";

const events = new EventQueue();
const client = new Client({ name: "outside", version: "1" });
client.setNotificationHandler(ResourceUpdatedNotificationSchema, ({ params }) => events.put(params.uri));
client.setNotificationHandler(ResourceListChangedNotificationSchema, () => events.put("resources"));
client.setNotificationHandler(ToolListChangedNotificationSchema, () => events.put("tools"));

const connect = async ({ command: [command, ...args] = [], cwd, url }) => {
  const transport = url
    ? new StreamableHTTPClientTransport(new URL(url))
    : new StdioClientTransport({ command, args, cwd, env: process.env });
  let negotiated;
  const keep = transport.setProtocolVersion?.bind(transport);
  transport.setProtocolVersion = (version) => (keep?.(version), (negotiated = version));
  await client.connect(transport);
  return negotiated;
};
const subscribe = ({ uri }) => client.subscribeResource({ uri });

await answerSteps(createInterface({ input: process.stdin }), () => client, events, { connect, subscribe });
