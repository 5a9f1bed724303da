// Starts `chant-mcp lsp` for plans, and shows whether it runs. It decides nothing and runs nothing else.

const vscode = require("vscode");
const { LanguageClient, State } = require("vscode-languageclient/node");

let client;

async function start(status) {
  const command = vscode.workspace.getConfiguration("chant-mcp").get("command");
  client = new LanguageClient(
    "chant-mcp",
    "chant-mcp",
    { command, args: ["lsp"] },
    {
      documentSelector: [
        { scheme: "file", language: "markdown" },
        { scheme: "file", pattern: "**/*.vine" },
        { scheme: "file", pattern: "**/{.mdt-config.toml,backlog/config.yml,openspec/config.yaml}" },
      ],
      // Hovers hold text of documents: neither its markup nor its links are to act.
      markdown: { isTrusted: false, supportHtml: false },
    },
  );
  client.onDidChangeState(({ newState }) => {
    status.text = newState === State.Running ? "$(checklist) chant" : "$(warning) chant";
    status.tooltip = newState === State.Running ? "chant-mcp lsp runs" : "chant-mcp lsp does not run";
  });
  try {
    await client.start();
  } catch (error) {
    vscode.window.showErrorMessage(`\`${command} lsp\` cannot be started: ${error.message}`);
  }
}

async function stop() {
  const running = client;
  client = undefined;
  if (running?.needsStop()) {
    await running.stop();
  }
}

exports.activate = async (context) => {
  const status = vscode.window.createStatusBarItem(vscode.StatusBarAlignment.Left);
  status.command = "chant-mcp.restart";
  status.show();
  const restart = async () => {
    await stop();
    await start(status);
  };
  context.subscriptions.push(status, vscode.commands.registerCommand("chant-mcp.restart", restart));
  await start(status);
};

exports.deactivate = stop;
