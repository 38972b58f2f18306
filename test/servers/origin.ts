// A web server with masters, for tests: it counts requests, and misbehaves on demand.

import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

export interface Master {
  readonly size: number;
  /** Bytes `from` to `to`, exclusive. */
  bytes(from: number, to: number): Uint8Array;
  readonly etag?: string | undefined;
  readonly modified?: Date | undefined;
  readonly type?: string;
}

/** Behaviour of the server; each member may be changed at any time. */
export interface Behaviour {
  ranges: boolean;
  /** True if it sends the length of whole responses. */
  lengths: boolean;
  delayMs: number;
  /** Responses wait for it. */
  hold: Promise<void> | undefined;
  /** Responses to requests for more than the beginning of a master wait for it. */
  holdRest: Promise<void> | undefined;
  /** Replaces the usual handling; undefined for the usual one. */
  instead:
    | ((request: IncomingMessage, response: ServerResponse, nth: number) => true | undefined)
    | undefined;
}

export interface Asked {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage["headers"];
  status: number;
  /** Bytes of the body. */
  sent: number;
}

export interface Origin {
  readonly port: number;
  readonly url: string;
  readonly masters: Map<string, Master>;
  readonly asked: Asked[];
  readonly behaviour: Behaviour;
  /** Requests and body bytes since the last call. */
  since(): { readonly requests: number; readonly bytes: number };
  close(): Promise<void>;
}

const isForRest = ({ headers }: Asked) =>
  headers.range !== undefined && !headers.range.startsWith("bytes=0-");

/** Masters of which more than the beginning was asked for. */
export const askedForRest = ({ asked }: Origin) => new Set(asked.filter(isForRest).map(({ path }) => path));

/** Returns a master whose bytes are in memory. */
export function masterOf(data: Uint8Array, facts: Partial<Master> = {}): Master {
  return { size: data.length, bytes: (from, to) => data.subarray(from, to), etag: '"1"', ...facts };
}

/** Starts on a free port of 127.0.0.1; masters are by path, without its first slash and decoded. */
export async function startOrigin(masters: Readonly<Record<string, Master>> = {}): Promise<Origin> {
  const behaviour: Behaviour = {
    ranges: true,
    lengths: true,
    delayMs: 0,
    hold: undefined,
    holdRest: undefined,
    instead: undefined,
  };
  const asked: Asked[] = [];
  let marked = 0;
  let markedBytes = 0;
  const held = new Map(Object.entries(masters));
  const server = createServer((request, response) => {
    const path = decodeURIComponent((request.url ?? "").slice(1));
    const one: Asked = { method: request.method ?? "", path, headers: request.headers, status: 0, sent: 0 };
    asked.push(one);
    setTimeout(async () => {
      await behaviour.hold;
      if (isForRest(one)) await behaviour.holdRest;
      if (!behaviour.instead?.(request, response, asked.length - 1))
        give(request, response, held.get(path), behaviour, one);
      one.status = response.statusCode;
    }, behaviour.delayMs);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    port,
    url: `http://127.0.0.1:${port}`,
    masters: held,
    asked,
    behaviour,
    since() {
      const all = asked.reduce((sum, each) => sum + each.sent, 0);
      const told = { requests: asked.length - marked, bytes: all - markedBytes };
      marked = asked.length;
      markedBytes = all;
      return told;
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function give(
  request: IncomingMessage,
  response: ServerResponse,
  master: Master | undefined,
  behaviour: Behaviour,
  asked: Asked,
): void {
  if (!master) return void response.writeHead(404).end("no such master");
  const { etag, modified, size } = master;
  const facts = {
    "content-type": master.type ?? "image/jpeg",
    ...(etag ? { etag } : {}),
    ...(modified ? { "last-modified": modified.toUTCString() } : {}),
  };
  const { headers } = request;
  const since = Date.parse(headers["if-modified-since"] ?? "");
  if (
    (headers["if-none-match"] !== undefined && headers["if-none-match"] === etag) ||
    (headers["if-none-match"] === undefined &&
      modified &&
      since >= Math.floor(modified.getTime() / 1000) * 1000)
  )
    return void response.writeHead(304, facts).end();
  const [, first, last] = /^bytes=(\d+)-(\d+)$/.exec(headers.range ?? "") ?? [];
  const same = headers["if-range"] === undefined || headers["if-range"] === etag;
  const ranged = behaviour.ranges && first !== undefined && same;
  const from = ranged ? Number(first) : 0;
  const to = ranged ? Math.min(size, Number(last) + 1) : size;
  if (ranged && from >= size)
    return void response.writeHead(416, { "content-range": `bytes */${size}` }).end();
  const body = master.bytes(from, to);
  asked.sent = body.length;
  const length = ranged || behaviour.lengths ? { "content-length": String(body.length) } : {};
  response.writeHead(ranged ? 206 : 200, {
    ...facts,
    ...length,
    ...(ranged ? { "content-range": `bytes ${from}-${to - 1}/${size}` } : {}),
  });
  response.end(body);
}
