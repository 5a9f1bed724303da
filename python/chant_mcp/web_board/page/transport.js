// Calls of tools: over HTTP with the person's key, or through the host that shows this page as an App.

const PROTOCOL = "2026-07-28";
const CLIENT = { name: "chant board", version: "1" };
const META = "io.modelcontextprotocol/";
const ENVELOPE = {
  [`${META}protocolVersion`]: PROTOCOL,
  [`${META}clientInfo`]: CLIENT,
  [`${META}clientCapabilities`]: { extensions: { [`${META}ui`]: { mimeTypes: ["text/html;profile=mcp-app"] } } },
};
const host = { isThere: false, lastId: 0, waiting: new Map() };

/** Calls a tool and gives its data; a refusal is thrown with its sentence. */
async function call(name, given = {}) {
  // An argument that is not given is left out: `null` is a value.
  const used = Object.fromEntries(Object.entries(given).filter(([, value]) => (value ?? "") !== ""));
  const params = { name, arguments: used };
  const { content = [], structuredContent: data, isError } = await (host.isThere ? ask("tools/call", params) : callOverHttp(params));
  const text = content.map((part) => part.text ?? "").join("\n");
  if (isError) throw new Refusal({ message: text || undefined, ...data?.error });
  return data ?? { text };
}

async function callOverHttp(params) {
  const message = { jsonrpc: "2.0", id: ++host.lastId, method: "tools/call", params: { ...params, _meta: ENVELOPE } };
  const { data } = await post("/mcp", message, {
    Accept: "application/json, text/event-stream",
    "MCP-Protocol-Version": PROTOCOL,
    "Mcp-Method": message.method,
    "Mcp-Name": params.name,
  });
  if (!data?.result) throw new Refusal(data?.error);
  return data.result;
}

const send = (message) => parent.postMessage({ jsonrpc: "2.0", ...message }, "*");

function ask(method, params) {
  const id = ++host.lastId;
  send({ id, method, params });
  return new Promise((resolve, reject) => host.waiting.set(id, { resolve, reject }));
}

/** Opens the conversation with the host; false where none answers in time. */
async function joinHost() {
  addEventListener("message", hearHost);
  const appCapabilities = { availableDisplayModes: ["inline", "fullscreen"] };
  const opening = ask("ui/initialize", { protocolVersion: "2026-01-26", appInfo: CLIENT, appCapabilities });
  const found = await Promise.race([opening, new Promise((resolve) => setTimeout(resolve, 1500))]);
  if (!found) return false;
  host.isThere = true;
  send({ method: "ui/notifications/initialized", params: {} });
  takeContext(found.hostContext ?? {});
  return true;
}

function hearHost({ source, data }) {
  const { id, method, params, result, error } = data ?? {};
  if (source !== parent) return;
  if (method === undefined) {
    const { resolve, reject } = host.waiting.get(id) ?? {};
    host.waiting.delete(id);
    if (error) reject?.(new Refusal(error));
    else resolve?.(result);
  } else if (id === undefined) hearNotice(method, params ?? {});
  else if (method === "ui/resource-teardown" || method === "ping") send({ id, result: {} });
  else send({ id, error: { code: -32601, message: "Method not found" } });
}

function hearNotice(method, params) {
  if (method === "ui/notifications/host-context-changed") takeContext(params);
  if (method !== "ui/notifications/tool-result") return;
  lookSoon();
  // The item that the model has just read is what the person wants to see.
  const { id, body } = params.structuredContent ?? {};
  if (typeof id === "string" && body !== undefined) go(`item/chant:${id}`);
}

/** Takes over theme, colours and room of the host. */
function takeContext({ theme, styles, containerDimensions: room }) {
  const { style } = document.documentElement;
  if (theme) style.colorScheme = theme;
  for (const [name, value] of Object.entries(styles?.variables ?? {})) if (name.startsWith("--")) style.setProperty(name, value);
  if (!room) return;
  const height = room.height ?? Math.min(room.maxHeight ?? 640, 640);
  style.setProperty("--height", `${height}px`);
  if (!room.height) send({ method: "ui/notifications/size-changed", params: { height } });
}
