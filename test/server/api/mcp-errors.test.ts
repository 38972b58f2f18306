// Errors of MCP are plain sentences: what was expected, what was received, what to do (JSON-RPC 2.0, section
// 5.1 for the codes).

import { afterAll, beforeAll, expect, test } from "vitest";
import { type Served, served } from "../../served.ts";

let app: Served;
beforeAll(async () => {
  app = await served("mcp: { enabled: true }");
});
afterAll(() => app.service.close());

const call = (params: unknown) => ({ jsonrpc: "2.0", id: 1, method: "tools/call", params });
const browse = (args: unknown) => call({ name: "browse", arguments: args });
const newer = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientInfo": { name: "x", version: "1" },
  "io.modelcontextprotocol/clientCapabilities": {},
};

async function said(message: unknown, headers: Record<string, string> = {}): Promise<[unknown, string]> {
  const response = await app.get("/mcp", {
    method: "POST",
    host: "localhost",
    body: typeof message === "string" ? message : JSON.stringify(message),
    headers: {
      "Content-Type": "application/json",
      Accept: "application/json, text/event-stream",
      ...headers,
    },
  });
  const { result, error } = JSON.parse(await response.text());
  return error ? [error.code, error.message] : [result.isError, result.content[0].text];
}

test.each<[string, unknown, Record<string, string>, unknown, RegExp]>([
  ["an argument of another type", browse({ id: 5 }), {}, true, /^Expected text as id; received 5\. Correct/],
  [
    "an unknown argument",
    browse({ folder: "a" }),
    {},
    true,
    /^Expected id, search or cursor; received "folder"\./,
  ],
  [
    "a missing argument",
    call({ name: "get_image_info", arguments: {} }),
    {},
    true,
    /^Expected text as identifier; received nothing\./,
  ],
  [
    "a word that is none of a list",
    call({ name: "get_region", arguments: { identifier: "a", format: "gif" } }),
    {},
    true,
    /^Expected jpg, png or webp as format; received "gif"\./,
  ],
  [
    "a text that is too long",
    browse({ search: "x".repeat(5000) }),
    {},
    true,
    /^Expected at most 200 characters as search; received 5000 characters\./,
  ],
  [
    "an empty text",
    call({ name: "get_image_info", arguments: { identifier: "" } }),
    {},
    true,
    /^Expected at least 1 characters as identifier/,
  ],
  [
    "one of several types",
    call({ name: "get_region", arguments: { identifier: "a", rotation: {} } }),
    {},
    true,
    /^Expected text or a number as rotation; received keys and values\./,
  ],
  [
    "an argument in the newer protocol",
    call({ name: "browse", arguments: { id: 5 }, _meta: newer }),
    { "MCP-Protocol-Version": "2026-07-28", "Mcp-Method": "tools/call", "Mcp-Name": "browse" },
    true,
    /^Expected text as id; received 5\./,
  ],
  [
    "arguments that are text",
    browse("x"),
    {},
    -32602,
    /^Expected keys and values as params\.arguments; received "x"\./,
  ],
  ["a name that is a number", call({ name: 5 }), {}, -32602, /^Expected text as params\.name; received 5\./],
  [
    "a name that is a number in the newer protocol",
    call({ name: 5, _meta: newer }),
    { "MCP-Protocol-Version": "2026-07-28", "Mcp-Method": "tools/call", "Mcp-Name": "5" },
    -32602,
    /^Expected text as params\.name; received 5\./,
  ],
  [
    "an unknown tool",
    call({ name: "purge", arguments: {} }),
    {},
    -32602,
    /^Expected the name of a tool, browse, search_text, get_image_info or get_region; received "purge"\./,
  ],
  [
    "no parameters",
    { jsonrpc: "2.0", id: 1, method: "tools/call" },
    {},
    -32602,
    /^Expected keys and values as params; received nothing\./,
  ],
  [
    "an unknown method",
    { jsonrpc: "2.0", id: 1, method: "prompts/list" },
    {},
    -32601,
    /received "prompts\/list"/,
  ],
  [
    "a cursor of another type",
    { jsonrpc: "2.0", id: 1, method: "tools/list", params: { cursor: 5 } },
    {},
    -32602,
    /^Expected text as params\.cursor; received 5\./,
  ],
  [
    "a beginning without facts",
    { jsonrpc: "2.0", id: 1, method: "initialize", params: {} },
    {},
    -32602,
    /^Expected text as params\.protocolVersion; received nothing\./,
  ],
  [
    "another version of JSON-RPC",
    { jsonrpc: "1.0", id: 1, method: "tools/list" },
    {},
    -32600,
    /^Expected a JSON-RPC message/,
  ],
  [
    "an id that is a list",
    { jsonrpc: "2.0", id: [], method: "tools/list" },
    {},
    -32600,
    /^Expected a JSON-RPC message/,
  ],
  ["a number", "5", {}, -32600, /^Expected a JSON-RPC message/],
  ["no JSON", "nonsense", {}, -32700, /^Expected a JSON text/],
  [
    "an unknown version",
    browse({}),
    { "MCP-Protocol-Version": "1999-01-01" },
    -32000,
    /^Expected a version of the protocol that this server knows, 2025-11-25, .*; received another one\./,
  ],
  [
    "other media types",
    browse({}),
    { Accept: "text/html" },
    -32000,
    /^Expected application\/json and text\/event-stream/,
  ],
  [
    "an incomplete envelope",
    call({ name: "browse", _meta: { "io.modelcontextprotocol/protocolVersion": "2026-07-28" } }),
    { "MCP-Protocol-Version": "2026-07-28", "Mcp-Method": "tools/call", "Mcp-Name": "browse" },
    -32602,
    /^Expected _meta of the message/,
  ],
])("%s", async (_, message, headers, code, expected) => {
  const [found, text] = await said(message, headers);
  expect(text).toMatch(expected);
  expect(text).not.toMatch(/\n|Invalid input|invalid_type|[[\]{}]/);
  expect(text).toMatch(/\.$/);
  expect(found).toBe(code);
});
