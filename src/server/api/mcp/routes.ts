// The Model Context Protocol over HTTP, at /mcp: one message by POST, one JSON response, no session.

import type { Service } from "../../service.ts";
import { readJson } from "../http/body.ts";
import { type RequestContext, recordSent } from "../http/context.ts";
import { Refusal } from "../http/problem.ts";
import type { Routes } from "../http/routes.ts";
import { plainResponse } from "./plain-errors.ts";
import { instructions, shelfOf, toolsOf } from "./tools.ts";
import { refuseStrangers } from "./who-may-ask.ts";

/** Maximum bytes of a message: a tool's arguments are a few short texts. */
const maxMessage = 64 * 1024;

/** Headers in which pages send version, session and target of a message. */
const fields = [
  "MCP-Protocol-Version",
  "Mcp-Session-Id",
  "Mcp-Method",
  "Mcp-Name",
  "Last-Event-ID",
  "Traceparent",
] as const;

/** Mounts /mcp if `mcp.enabled` is set; otherwise mounts nothing. */
export function mountMcp(routes: Routes, service: Service): void {
  const { enabled, allowed_origins } = service.config().mcp;
  if (!enabled) return;
  const cors = allowed_origins.map((origin) => new URL(origin).origin);
  routes.add({ path: "/mcp", cors, fields, post: (c) => respond(c, service) });
}

async function respond(c: RequestContext, service: Service): Promise<Response> {
  try {
    refuseStrangers(c, service);
    const message = await readJson(c, maxMessage);
    // Some versions allow several messages in one body. The limits on requests would apply only to the first
    // of them.
    if (Array.isArray(message)) throw new Refusal(severalMessages);
    // Loaded on demand, since on workerd modules are available only during requests.
    const { respondToMessage } = await import("./protocol.ts");
    const about = { version: service.version, instructions };
    const tools = toolsOf(c, service);
    const respondPlainly = (text: string) =>
      plainResponse(
        text,
        message,
        tools.map(({ name }) => name),
      );
    return finish(
      c,
      await respondToMessage(c.req.raw, message, about, tools, shelfOf(c, service)),
      respondPlainly,
    );
  } catch (error) {
    if (error instanceof Refusal) return refuse(c, error);
    throw error;
  }
}

const severalMessages = {
  status: 400,
  code: "one_message_expected",
  detail: "Expected one JSON-RPC message; received a list of them. Send each in its own request.",
} as const;

/** Converts the protocol's response to one of this service: measured, and never cached. */
async function finish(
  c: RequestContext,
  response: Response,
  plain: (text: string) => string,
): Promise<Response> {
  const headers: Record<string, string> = {
    "Cache-Control": "no-store",
    "X-Content-Type-Options": "nosniff",
  };
  const type = response.headers.get("Content-Type");
  if (type !== null) headers["Content-Type"] = type;
  const body = response.body === null ? null : recordSent(c, plain(await response.text()));
  return new Response(body, { status: response.status, headers });
}

/** Formats refusals that precede the protocol as protocol errors (JSON-RPC 2.0, section 5.1). */
function refuse(c: RequestContext, { problem }: Refusal): Response {
  const { status, code, detail, headers } = problem;
  c.set("failure", { code, detail });
  const error = {
    code: code === "invalid_json" ? parseError : invalidRequest,
    message: detail,
    data: { code },
  };
  return new Response(recordSent(c, JSON.stringify({ jsonrpc: "2.0", error, id: null })), {
    status,
    headers: { ...headers, "Content-Type": "application/json", "Cache-Control": "no-store" },
  });
}

const parseError = -32700;
const invalidRequest = -32600;
