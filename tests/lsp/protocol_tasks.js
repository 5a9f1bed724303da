// Tasks of an editor by VS Code's own protocol library; prints what came of each. Arguments: the folder that holds the
// library, the project, the encoding of positions, then the command of the server.

const { spawn } = require("node:child_process");
const { readFileSync } = require("node:fs");
const { createRequire } = require("node:module");
const { join } = require("node:path");
const { pathToFileURL } = require("node:url");

const [library, root, encoding, command, ...words] = process.argv.slice(2);
const protocol = createRequire(join(library, "x.js"))("vscode-languageserver-protocol/node");

const SPEC = ".chant/specs/2026-01-22-001-x7m.md";
const uri = (path) => pathToFileURL(join(root, path)).href;
const document = (path) => ({ uri: uri(path) });

async function main() {
  const server = spawn(command, words, { cwd: root, stdio: ["pipe", "pipe", "inherit"] });
  const connection = protocol.createProtocolConnection(server.stdout, server.stdin, console);
  const findings = new Map();
  const waiting = [];
  connection.onNotification(protocol.PublishDiagnosticsNotification.type, (given) => {
    findings.set(given.uri, given.diagnostics);
    waiting.splice(0).forEach((wake) => wake());
  });
  connection.listen();
  const ask = (kind, params) => connection.sendRequest(kind.type, params);
  const results = {};
  const answered = await ask(protocol.InitializeRequest, {
    processId: process.pid,
    rootUri: pathToFileURL(root).href,
    capabilities: {
      general: { positionEncodings: [encoding] },
      workspace: { workspaceEdit: { documentChanges: true, resourceOperations: ["create"] } },
      textDocument: { hover: { contentFormat: ["markdown"] } },
    },
  });
  results.encoding = answered.capabilities.positionEncoding;
  await connection.sendNotification(protocol.InitializedNotification.type, {});
  const open = async (path, text) => {
    const opened = { uri: uri(path), languageId: "markdown", version: 1, text };
    await connection.sendNotification(protocol.DidOpenTextDocumentNotification.type, { textDocument: opened });
  };

  // A wide sign stands before the fault, so that the two encodings count differently.
  const text = readFileSync(join(root, SPEC), "utf8").replace("Text.", "😀 tickets:SHOP-9");
  await open(SPEC, text);
  const lines = text.split("\n");
  const line = lines.findIndex((one) => one.startsWith("status"));
  await connection.sendNotification(protocol.DidChangeTextDocumentNotification.type, {
    textDocument: { uri: uri(SPEC), version: 2 },
    contentChanges: [
      { range: { start: { line, character: 8 }, end: { line, character: 15 } }, text: "pendign" },
    ],
  });
  while (!(findings.get(uri(SPEC)) ?? []).some((one) => one.range.start.line === line)) {
    await new Promise((wake) => waiting.push(wake));
  }
  results.findings = findings.get(uri(SPEC)).length;
  const range = { start: { line, character: 0 }, end: { line, character: 3 } };
  const actions = await ask(protocol.CodeActionRequest, {
    textDocument: document(SPEC),
    range,
    context: { diagnostics: [] },
  });
  const fix = actions.find((one) => one.title === "Change `pendign` to `pending`");
  results.fixed = fix.edit.documentChanges[0].edits[0];
  results.actions = actions.map((one) => one.title);
  await connection.sendNotification(protocol.DidChangeTextDocumentNotification.type, {
    textDocument: { uri: uri(SPEC), version: 3 },
    contentChanges: [{ range: results.fixed.range, text: results.fixed.newText }],
  });
  const at = (needle) => {
    const row = lines.findIndex((one) => one.includes(needle));
    return { textDocument: document(SPEC), position: { line: row, character: lines[row].indexOf(needle) + 9 } };
  };
  const named = at("2026-01-22-002");
  results.hover = (await ask(protocol.HoverRequest, named)).contents.value;
  results.definition = (await ask(protocol.DefinitionRequest, named)).uri;
  const context = { includeDeclaration: true };
  results.references = (await ask(protocol.ReferencesRequest, { ...named, context })).length;
  results.completion = (await ask(protocol.CompletionRequest, named)).items.map((one) => one.label);
  results.symbols = (await ask(protocol.DocumentSymbolRequest, { textDocument: document(SPEC) })).length;
  results.found = (await ask(protocol.WorkspaceSymbolRequest, { query: "door" })).length;
  results.lenses = (await ask(protocol.CodeLensRequest, { textDocument: document(SPEC) })).map((one) => one.command.title);
  await open("plan.vine", readFileSync(join(root, "plan.vine"), "utf8"));
  const rename = { textDocument: document("plan.vine"), position: { line: 4, character: 5 }, newName: "make" };
  results.renamed = (await ask(protocol.RenameRequest, rename)).documentChanges[0].edits.length;
  await ask(protocol.ShutdownRequest);
  await connection.sendNotification(protocol.ExitNotification.type);
  results.ended = await new Promise((told) => server.on("exit", told));
  process.stdout.write(JSON.stringify(results));
  process.exit(0);
}

main();
