// Walks documents of the Presentation API over HTTP: every id in them that lies below the service has to answer with the same thing.

import { expect } from "vitest";
import type { Served } from "../served.ts";

/** JSON as tests look into it. */
// biome-ignore lint/suspicious/noExplicitAny: documents are read by any path.
export type Json = any;

type Init = Parameters<Served["get"]>[1];

/** The JSON of an address that answers with 200. */
export async function json(app: Served, target: string, init?: Init): Promise<Json> {
  const response = await app.get(target, init);
  expect(response.status, `${target}: ${await response.clone().text()}`).toBe(200);
  return response.json();
}

export interface Walk {
  /** Public URL that ids begin with; the path behind it is what is asked for. */
  readonly base: string;
  readonly init?: Init;
}

/** All documents from an address on, by their ids. Fails for an id that answers with anything but what it stands for. */
export async function walk(app: Served, start: string, { base, init }: Walk): Promise<Map<string, Json>> {
  const documents = new Map<string, Json>();
  const waiting = [start];
  for (const target of waiting) {
    const document = await json(app, target, init);
    expect(document.id, target).toBe(base + target);
    documents.set(document.id, document);
    for (const inner of piecesIn(document)) {
      if (!inner.id.startsWith(`${base}/iiif/presentation/`)) continue;
      const path = inner.id.slice(base.length);
      if (inner.type === "Manifest" || inner.type === "Collection") {
        if (!waiting.includes(path)) waiting.push(path);
        continue;
      }
      const own = await json(app, path, init);
      expect(without(own, "@context", "partOf"), path).toEqual(without(inner, "partOf"));
      expect(own["@context"], path).toEqual(document["@context"]);
    }
  }
  for (const document of documents.values())
    for (const { id, type, label } of piecesIn(document).filter((inner) => documents.has(inner.id)))
      expect({ id, type, ...(label && { label }) }).toEqual(
        Object.fromEntries(
          ["id", "type", ...(label ? ["label"] : [])].map((name) => [name, documents.get(id)[name]]),
        ),
      );
  return documents;
}

/** What has an id and a type in a document, at any depth, but for the document itself and what only refers to it. */
function piecesIn(document: Json): Json[] {
  const found: Json[] = [];
  const look = (value: Json) => {
    if (Array.isArray(value)) for (const each of value) look(each);
    else if (typeof value === "object" && value !== null) {
      if (value !== document && typeof value.id === "string" && typeof value.type === "string")
        found.push(value);
      for (const each of Object.values(value)) look(each);
    }
  };
  look(document);
  return found;
}

function without(document: Json, ...names: readonly string[]): Json {
  return Object.fromEntries(Object.entries(document).filter(([name]) => !names.includes(name)));
}
