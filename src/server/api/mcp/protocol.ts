// The Model Context Protocol in both of its generations: one JSON-RPC message in, one Response out, no state
// in between. The build makes a separate file of this module and its packages, which loads if `mcp.enabled`
// is set.

import {
  type CallToolResult,
  createMcpHandler,
  isLegacyRequest,
  McpServer,
  ProtocolError,
  ProtocolErrorCode,
  ResourceNotFoundError,
  WebStandardStreamableHTTPServerTransport,
} from "@modelcontextprotocol/server";
import { ZodObject, type ZodType } from "zod";
import { failure } from "./failure.ts";
import { faultText } from "./plain-errors.ts";

/** A tool as clients see it, and its function for the current request. */
export interface Tool<Input = never> {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly input: ZodType<Input>;
  /** Runs the tool. Never throws: errors become results with `isError`, in words. */
  run(input: Input): Promise<CallToolResult>;
}

/** Documents as clients see them. */
export interface ResourceShelf {
  /** Resources to begin with. */
  readonly list: readonly { readonly uri: string; readonly name: string; readonly mimeType: string }[];
  /** Forms of all others (RFC 6570). */
  readonly templates: readonly {
    readonly uriTemplate: string;
    readonly name: string;
    readonly mimeType: string;
  }[];
  /** Returns a document. Never throws: errors become results, in words. */
  read(uri: string): Promise<ReadResult>;
}

/** A document, or why there is none. */
export type ReadResult =
  | { readonly text: string; readonly mimeType: string }
  | { readonly problem: string; readonly kind: "missing" | "refused" | "broken" };

/** What a client learns about this server when it connects. */
export interface About {
  readonly version: string;
  /** Tells the model what the tools are for and how to combine them. */
  readonly instructions: string;
}

export type { CallToolResult };

/** Properties of all tools: they change nothing, and reach only images of this service. */
const readOnly = { readOnlyHint: true, idempotentHint: true, openWorldHint: false } as const;

/**
 * Responds to the message of a POST, whose body has been read and parsed. Requests of the versions up to
 * 2025-11-25 need no session: each is independent, like those of 2026-07-28.
 */
export async function respondToMessage(
  request: Request,
  message: unknown,
  about: About,
  tools: readonly Tool[],
  resources: ResourceShelf,
): Promise<Response> {
  const create = () => createServer(about, tools, resources);
  if (await isLegacyRequest(request, message)) return respondToLegacy(request, message, create());
  // No subscriptions: the list of tools never changes, and such a stream would stay open.
  const { fetch } = createMcpHandler(create, { legacy: "reject", maxSubscriptions: 0, keepAliveMs: 0 });
  return fetch(request, { parsedBody: message });
}

/**
 * One JSON response instead of a stream, so that the request lasts as long as its work and counts against the
 * caps on requests.
 */
async function respondToLegacy(request: Request, message: unknown, server: McpServer): Promise<Response> {
  const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true });
  try {
    await server.connect(transport);
    return await transport.handleRequest(request, { parsedBody: message });
  } finally {
    await server.close();
  }
}

/** A schema for the list of tools that accepts everything: tools explain themselves what is wrong. */
function withoutChecks<Input>(input: ZodType<Input>): ZodType<unknown> {
  const standard = { ...input["~standard"], validate: (value: unknown) => ({ value }) };
  return Object.create(input, { "~standard": { value: standard } });
}

function faultOf(issues: Parameters<typeof faultText>[0], given: unknown, input: ZodType): string {
  const known = input instanceof ZodObject ? Object.keys(input.shape) : [];
  return `${faultText(issues, given, known)} Correct the arguments and call the tool again.`;
}

function createServer(
  { version, instructions }: About,
  tools: readonly Tool[],
  resources: ResourceShelf,
): McpServer {
  const server = new McpServer(
    { name: "smalti", title: "smalti image server", version },
    {
      capabilities: { tools: { listChanged: false }, resources: { listChanged: false, subscribe: false } },
      instructions,
    },
  );
  for (const { name, title, description, input, run } of tools)
    server.registerTool(
      name,
      { title, description, inputSchema: withoutChecks(input), annotations: { title, ...readOnly } },
      (given: unknown) => {
        const { success, data, error } = input.safeParse(given);
        return success ? run(data as never) : failure(faultOf(error.issues, given, input));
      },
    );
  shelve(server, resources);
  return server;
}

/** Replaces the lists of the package, which know only addresses that are registered one by one. */
function shelve({ server }: McpServer, { list, templates, read }: ResourceShelf): void {
  server.setRequestHandler("resources/list", () => ({ resources: list.map((each) => ({ ...each })) }));
  server.setRequestHandler("resources/templates/list", () => ({
    resourceTemplates: templates.map((each) => ({ ...each })),
  }));
  server.setRequestHandler("resources/read", async ({ params: { uri } }) => {
    const found = await read(uri);
    if ("text" in found) return { contents: [{ uri, ...found }] };
    const { problem, kind } = found;
    if (kind === "missing") throw new ResourceNotFoundError(uri, problem);
    const { InvalidParams, InternalError } = ProtocolErrorCode;
    throw new ProtocolError(kind === "refused" ? InvalidParams : InternalError, problem);
  });
}
