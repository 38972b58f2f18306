// The official clients of the Model Context Protocol, one for each of its generations, over any fetch.

import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { Client as OlderClient } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport as OlderTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";

type Fetch = (url: string | URL, init?: RequestInit) => Promise<Response>;

export interface Content {
  readonly type: string;
  readonly text?: string;
  readonly data?: string;
  readonly mimeType?: string;
  readonly uri?: string;
}

export interface Result {
  readonly isError: boolean;
  /** All texts, a line each. */
  readonly text: string;
  readonly content: readonly Content[];
}

/** One session of a client. */
export interface McpSession {
  /** The protocol version that client and server agreed on. */
  readonly version: string | undefined;
  readonly instructions: string | undefined;
  tools(): Promise<readonly { readonly name: string; readonly inputSchema: unknown }[]>;
  /** Rejects if the server refuses the message itself. */
  call(name: string, args?: Readonly<Record<string, unknown>>): Promise<Result>;
  /** The resources to begin with, and the forms of others. */
  resources(): Promise<readonly { readonly uri: string }[]>;
  templates(): Promise<readonly { readonly uriTemplate: string }[]>;
  /** Rejects if the server refuses to read it. */
  read(uri: string): Promise<readonly Content[]>;
  ping(): Promise<unknown>;
  close(): Promise<void>;
}

export interface ConnectOptions {
  readonly fetch?: Fetch;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Ways to connect, by protocol generation. */
export const generations: Readonly<
  Record<string, (url: string, options?: ConnectOptions) => Promise<McpSession>>
> = {
  "2026-07-28": (url, options) => connectNewer(url, { pin: "2026-07-28" }, options),
  "2025-11-25 by the client of 2026": (url, options) => connectNewer(url, "legacy", options),
  "2025-11-25 by the client of 2025": connectOlder,
};

const facts = { name: "smalti-test", version: "1" };

async function connectNewer(
  url: string,
  mode: "legacy" | { readonly pin: string },
  { fetch, headers = {} }: ConnectOptions = {},
): Promise<McpSession> {
  const client = new Client(facts, { versionNegotiation: { mode } });
  const init = { ...(fetch && { fetch }), requestInit: { headers } };
  await client.connect(new StreamableHTTPClientTransport(new URL(url), init));
  return {
    version: client.getNegotiatedProtocolVersion(),
    instructions: client.getInstructions(),
    tools: async () => (await client.listTools()).tools,
    call: async (name, args = {}) => resultOf(await client.callTool({ name, arguments: { ...args } })),
    resources: async () => (await client.listResources()).resources,
    templates: async () => (await client.listResourceTemplates()).resourceTemplates,
    read: async (uri) => (await client.readResource({ uri })).contents as unknown as readonly Content[],
    ping: () => client.ping(),
    close: () => client.close(),
  };
}

async function connectOlder(url: string, { fetch, headers = {} }: ConnectOptions = {}): Promise<McpSession> {
  const client = new OlderClient(facts);
  const transport = new OlderTransport(new URL(url), {
    ...(fetch && { fetch }),
    requestInit: { headers },
  });
  await client.connect(transport as Parameters<OlderClient["connect"]>[0]);
  return {
    version: transport.protocolVersion,
    instructions: client.getInstructions(),
    tools: async () => (await client.listTools()).tools,
    call: async (name, args = {}) => resultOf(await client.callTool({ name, arguments: { ...args } })),
    resources: async () => (await client.listResources()).resources,
    templates: async () => (await client.listResourceTemplates()).resourceTemplates,
    read: async (uri) => (await client.readResource({ uri })).contents as unknown as readonly Content[],
    ping: () => client.ping(),
    close: () => client.close(),
  };
}

function resultOf(result: unknown): Result {
  const { content = [], isError = false } = result as { content?: readonly Content[]; isError?: boolean };
  return { isError, content, text: content.flatMap(({ text }) => text ?? []).join("\n") };
}
