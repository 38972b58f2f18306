// A trace collector for tests: it accepts OTLP over HTTP as JSON, and fails on demand.

import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

export interface CollectedSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly traceState?: string;
  readonly name: string;
  /** 1: internal, 2: server. */
  readonly kind: number;
  /** Milliseconds since 1970. */
  readonly from: number;
  readonly to: number;
  readonly attributes: Readonly<Record<string, string | number>>;
  readonly status: number | undefined;
}

export interface Collector {
  readonly url: string;
  /** Bodies that were taken, as they came. */
  readonly bodies: string[];
  /** All exports, also those that were not taken. */
  readonly asked: { readonly path: string; readonly headers: IncomingMessage["headers"] }[];
  /** Responds instead of 200, given the body; returns true if it has responded, or will. */
  instead: ((response: ServerResponse, body: string) => true | undefined) | undefined;
  spans(): readonly CollectedSpan[];
  /** Attributes of the service in the latest export. */
  resource(): Readonly<Record<string, string | number>>;
  close(): Promise<void>;
}

interface Attribute {
  readonly key: string;
  readonly value: { readonly stringValue?: string; readonly intValue?: string };
}

interface Export {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: readonly Attribute[] };
    readonly scopeSpans: readonly { readonly spans: readonly Record<string, unknown>[] }[];
  }[];
}

const attributesOf = (attributes: readonly Attribute[]) =>
  Object.fromEntries(
    attributes.map(({ key, value }) => [key, value.stringValue ?? Number(value.intValue)] as const),
  );

const ms = (nanoseconds: unknown) => Number(BigInt(nanoseconds as string) / 1000n) / 1000;

/** Starts on a free port of 127.0.0.1. */
export async function startCollector(): Promise<Collector> {
  const bodies: string[] = [];
  const asked: Collector["asked"] = [];
  const server = createServer((request, response) => {
    asked.push({ path: request.url ?? "", headers: request.headers });
    const parts: Buffer[] = [];
    request.on("data", (part) => parts.push(part));
    request.on("end", () => {
      const body = Buffer.concat(parts).toString();
      if (collector.instead?.(response, body)) return;
      bodies.push(body);
      response.writeHead(200, { "Content-Type": "application/json" }).end("{}");
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const exports = () => bodies.flatMap((body) => (JSON.parse(body) as Export).resourceSpans);
  const collector: Collector = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    bodies,
    asked,
    instead: undefined,
    spans: () =>
      exports()
        .flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans))
        .map((span) => ({
          ...(span as unknown as CollectedSpan),
          from: ms(span.startTimeUnixNano),
          to: ms(span.endTimeUnixNano),
          attributes: attributesOf((span.attributes ?? []) as readonly Attribute[]),
          status: (span.status as { readonly code?: number } | undefined)?.code,
        })),
    resource: () => attributesOf(exports().at(-1)?.resource.attributes ?? []),
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return collector;
}
