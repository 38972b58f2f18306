// The result of a tool that failed.

import type { CallToolResult } from "@modelcontextprotocol/server";

/** Returns a result that explains an error. */
export const failure = (text: string): CallToolResult => ({
  isError: true,
  content: [{ type: "text", text }],
});
