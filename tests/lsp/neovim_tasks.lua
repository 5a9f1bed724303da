-- Ten tasks of a person in Neovim; writes what came of each to the file that TASKS names.
local spec, other = vim.env.SPEC, vim.env.OTHER
local results = {}

local function client()
  local clients = vim.lsp.get_clients and vim.lsp.get_clients({ bufnr = 0 }) or vim.lsp.buf_get_clients(0)
  local _, first = next(clients)
  return first
end

local function ask(method, params)
  for _, answer in pairs(vim.lsp.buf_request_sync(0, method, params, 60000) or {}) do
    return answer.result
  end
end

local function at(line, character)
  local document = vim.lsp.util.make_text_document_params()
  return { textDocument = document, position = { line = line, character = character } }
end

local function lines()
  return vim.api.nvim_buf_get_lines(0, 0, -1, false)
end

local function labels(found)
  local items = found.items or found
  return vim.tbl_map(function(item) return item.label end, items)
end

vim.cmd("edit " .. spec)
vim.wait(60000, function() return client() ~= nil end, 20)

-- A fault is shown where it stands, and its action corrects it.
vim.api.nvim_buf_set_lines(0, 2, 3, false, { "status: pendign" })
vim.wait(60000, function() return #vim.diagnostic.get(0) > 0 end, 20)
results.findings = vim.tbl_map(function(one) return one.lnum end, vim.diagnostic.get(0))
local range = { start = { line = 2, character = 0 }, ["end"] = { line = 2, character = 0 } }
local document = vim.lsp.util.make_text_document_params()
local asked = { textDocument = document, range = range, context = { diagnostics = {} } }
for _, action in ipairs(ask("textDocument/codeAction", asked)) do
  if action.title == "Change `pendign` to `pending`" then
    vim.lsp.util.apply_workspace_edit(action.edit, client().offset_encoding)
  end
end
results.action = lines()[3]

results.hover = ask("textDocument/hover", at(3, 20)).contents.value
results.definition = ask("textDocument/definition", at(3, 20)).uri
local references = at(3, 20)
references.context = { includeDeclaration = true }
results.references = #ask("textDocument/references", references)
vim.api.nvim_buf_set_lines(0, 3, 4, false, { "depends_on: [do" })
results.completion = labels(ask("textDocument/completion", at(3, 15)))
vim.cmd("undo")
results.symbols = #ask("textDocument/documentSymbol", { textDocument = document })
results.workspace_symbols = #ask("workspace/symbol", { query = "door" })
results.lens = ask("textDocument/codeLens", { textDocument = document })[1].command.title
results.inlay = #ask("textDocument/inlayHint", { textDocument = document, range = {
  start = { line = 0, character = 0 }, ["end"] = { line = 12, character = 0 } } })
results.saved = vim.fn.readfile(spec)[3]
vim.cmd("edit!")

vim.cmd("edit " .. other)
vim.wait(60000, function() return client() ~= nil end, 20)
local rename = at(4, 4)
rename.newName = "make"
vim.lsp.util.apply_workspace_edit(ask("textDocument/rename", rename), client().offset_encoding)
results.renamed = lines()
vim.cmd("undo")
results.undone = lines()
results.servers = #(vim.lsp.get_clients or vim.lsp.get_active_clients)()

vim.fn.writefile({ vim.fn.json_encode(results) }, vim.env.TASKS)
vim.cmd("qall!")
