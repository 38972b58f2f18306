// A small server with the requests of OpenSearch that the service sends, as its documentation describes them
// (Create index, Bulk, Get document, Search, Delete by query). No real node was there.

import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

type Document = Readonly<Record<string, unknown>>;
type Clause = Readonly<Record<string, Record<string, never>>>;

export interface Asked {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage["headers"];
  readonly body: string;
}

export interface EngineServer {
  readonly url: string;
  readonly asked: Asked[];
  /** Documents by id; undefined without an index. */
  documents: Map<string, Document> | undefined;
  /** The body that has created the index. */
  created: unknown;
  /** Responds instead of the engine. */
  misbehave: ((response: ServerResponse) => void) | undefined;
  close(): Promise<void>;
}

/** Positions of terms as the analyser `whitespace` makes them, with the usual gap of 100 between values. */
function positionsOf(texts: readonly string[]) {
  const terms = new Map<number, string>();
  let position = 0;
  for (const text of texts) {
    for (const term of text.split(/\s+/)) if (term !== "") terms.set(position++, term);
    position += 100;
  }
  return terms;
}

function hasPhrase(document: Document, query: string, isPrefix: boolean): boolean {
  const terms = positionsOf((document.text ?? []) as readonly string[]);
  const wanted = query.split(/\s+/);
  const isAt = (start: number) =>
    wanted.every((term, at) => {
      const found = terms.get(start + at);
      return isPrefix && at === wanted.length - 1 ? found?.startsWith(term) : found === term;
    });
  return [...terms.keys()].some(isAt);
}

const compare = (one: unknown, other: unknown) =>
  Buffer.compare(Buffer.from(`${one}`), Buffer.from(`${other}`));

/** True if a document is found by a query clause. */
function matches(document: Document, clause: Clause): boolean {
  const [[kind, fields]] = Object.entries(clause) as unknown as [[string, Record<string, unknown>]];
  if (kind === "bool") {
    const { filter = [], must_not = [] } = fields as unknown as Record<string, readonly Clause[]>;
    return filter.every((one) => matches(document, one)) && !must_not.some((one) => matches(document, one));
  }
  const [[field, value]] = Object.entries(fields) as unknown as [[string, never]];
  const given = value as Readonly<Record<string, string>> & readonly string[];
  switch (kind) {
    case "terms":
      return given.includes(document[field] as string);
    case "range":
      if (given.lt === "now-1h") return (document[field] as number) < Date.now() - 3_600_000;
      return compare(document[field], given.gte) >= 0 && compare(document[field], given.lt) < 0;
    case "term":
      return field === "text" ? hasPhrase(document, given.value!, false) : document[field] === given.value;
    case "prefix":
      return hasPhrase(document, given.value!, true);
    case "match_phrase":
      return hasPhrase(document, given.query!, false);
    case "match_phrase_prefix":
      return hasPhrase(document, given.query!, true);
  }
  throw new Error(`not documented here: ${kind}`);
}

interface Search {
  readonly from: number;
  readonly size: number;
  readonly track_total_hits: number;
  readonly query: Clause;
}

function searchIn(
  documents: ReadonlyMap<string, Document>,
  { from, size, track_total_hits: max, query }: Search,
) {
  const found = [...documents].filter(([, document]) => matches(document, query));
  found.sort(([, one], [, other]) => compare(one.key, other.key));
  return {
    took: 2,
    timed_out: false,
    _shards: { total: 1, successful: 1, skipped: 0, failed: 0 },
    hits: {
      total: { value: Math.min(found.length, max), relation: found.length > max ? "gte" : "eq" },
      max_score: null,
      hits: found.slice(from, from + size).map(([_id, { key, segment }]) => ({
        _index: "smalti",
        _id,
        _score: null,
        fields: { segment: [segment] },
        sort: [key],
      })),
    },
  };
}

const missing = {
  error: { type: "index_not_found_exception", reason: "no such index [smalti]" },
  status: 404,
};

/** An engine on a free port of 127.0.0.1. */
export async function startEngine(): Promise<EngineServer> {
  const server = createServer(async (request, response) => {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part as Buffer);
    const body = Buffer.concat(parts).toString();
    const { method = "", url = "", headers } = request;
    engine.asked.push({ method, path: url, headers, body });
    if (engine.misbehave) return engine.misbehave(response);
    const [status, result] = respond(method, url, body);
    response.writeHead(status, { "Content-Type": "application/json" }).end(JSON.stringify(result));
  });
  const respond = (method: string, url: string, body: string): readonly [number, unknown] => {
    const path = url.split("?")[0]!.replace(/^\/smalti/, "");
    if (path === "" && method === "HEAD") return [engine.documents ? 200 : 404, ""];
    if (path === "" && method === "PUT") {
      if (engine.documents)
        return [400, { error: { type: "resource_already_exists_exception" }, status: 400 }];
      engine.documents = new Map();
      engine.created = JSON.parse(body);
      return [200, { acknowledged: true, shards_acknowledged: true, index: "smalti" }];
    }
    const { documents } = engine;
    if (!documents) return [404, missing];
    if (path.startsWith("/_doc/")) {
      const _id = decodeURIComponent(path.slice("/_doc/".length));
      const _source = documents.get(_id);
      return _source ? [200, { _index: "smalti", _id, found: true, _source }] : [404, { _id, found: false }];
    }
    if (path === "/_bulk") {
      const lines = body
        .split("\n")
        .slice(0, -1)
        .map((line) => JSON.parse(line));
      for (let at = 0; at < lines.length; at += 2) documents.set(lines[at].index._id, lines[at + 1]);
      return [200, { errors: false }];
    }
    if (path === "/_refresh") return [200, { _shards: { total: 2, successful: 1, failed: 0 } }];
    if (path === "/_search") return [200, searchIn(documents, JSON.parse(body))];
    if (path === "/_delete_by_query") {
      const { query } = JSON.parse(body);
      for (const [id, document] of documents) if (matches(document, query)) documents.delete(id);
      return [200, { task: "oTUltX4IQMOUUVeiohTt8A:12345" }];
    }
    return [400, { error: { type: "illegal_argument_exception" }, status: 400 }];
  };
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const engine: EngineServer = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked: [],
    documents: undefined,
    created: undefined,
    misbehave: undefined,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
  return engine;
}
