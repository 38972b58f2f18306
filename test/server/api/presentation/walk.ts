// Walks documents of the Presentation API over HTTP: every id in them below the service's URL has to respond
// with the same thing.

import { normalize } from "@iiif/parser";
import { expect } from "vitest";
import { problemsOf2 } from "../../../iiif/presentation/rules-2.ts";
import { problemsOf3 } from "../../../iiif/presentation/rules-3.ts";
import type { Served } from "../../../served.ts";

/** JSON as tests look into it. */
// biome-ignore lint/suspicious/noExplicitAny: documents are read by any path.
export type Json = any;

type Init = Parameters<Served["get"]>[1];

/** Returns the JSON of an address that responds with 200. */
export async function json(app: Served, target: string, init?: Init): Promise<Json> {
  const response = await app.get(target, init);
  expect(response.status, `${target}: ${await response.clone().text()}`).toBe(200);
  return response.json();
}

export interface Walk {
  /** Public URL that ids begin with; the path after it is requested. */
  readonly base: string;
  readonly init?: Init;
  /** True if collections call their members by other labels than the members do themselves. */
  readonly renames?: boolean;
}

/**
 * Returns all documents from an address of version 3 on, by their ids. Fails for an id that responds with
 * something else, and for documents that break the rules of the specifications, including version 2.1.
 */
export async function walk(
  app: Served,
  start: string,
  { base, init, renames }: Walk,
): Promise<Map<string, Json>> {
  const documents = new Map<string, Json>();
  const waiting = [start];
  for (const target of waiting) {
    const document = await json(app, target, init);
    expect(document.id, target).toBe(base + target);
    documents.set(document.id, document);
    expect(problemsOf3(document), target).toEqual([]);
    const { entities }: Json = normalize(structuredClone(document));
    expect(entities[document.type][document.id].items, target).toHaveLength(document.items.length);
    await checkVersion2(app, target, document, { base, init });
    for (const inner of piecesIn(document)) {
      if (!inner.id.startsWith(`${base}/iiif/presentation/`)) continue;
      const path = inner.id.slice(base.length);
      if (inner.type === "Manifest" || inner.type === "Collection") {
        if (!waiting.includes(path)) waiting.push(path);
        continue;
      }
      const own = await json(app, path, init);
      expect([own.id, own.type], path).toEqual([inner.id, inner.type]);
      // Ranges only refer to canvases.
      if (inner.items === undefined && inner.body === undefined) continue;
      expect(without(own, "@context", "partOf"), path).toEqual(without(inner, "partOf"));
      expect(own["@context"], path).toEqual(document["@context"]);
    }
  }
  for (const document of documents.values())
    for (const { id, type, label } of piecesIn(document).filter((inner) => documents.has(inner.id)))
      expect({ id, type, ...(label && !renames && { label }) }).toEqual(
        Object.fromEntries(
          ["id", "type", ...(label && !renames ? ["label"] : [])].map((name) => [
            name,
            documents.get(id)[name],
          ]),
        ),
      );
  return documents;
}

/**
 * Fails if version 2.1 of a document is invalid, is not at its id, or lists other canvases, manifests or
 * collections.
 */
async function checkVersion2(
  app: Served,
  target: string,
  document: Json,
  { base, init }: Walk,
): Promise<void> {
  const older = target.replace("/presentation/3", "/presentation/2");
  const written = await json(app, older, init);
  expect(written["@id"]).toBe(base + older);
  expect(problemsOf2(written), older).toEqual([]);
  const listed = written.members ?? [...(written.collections ?? []), ...(written.manifests ?? [])];
  const held = document.type === "Manifest" ? written.sequences[0].canvases : listed;
  expect(held.map((each: Json) => each["@id"])).toEqual(
    document.items.map(({ id }: Json) => id.replace("/presentation/3", "/presentation/2")),
  );
  if (document.type !== "Manifest") return;
  const [canvas] = held;
  const own = await json(app, canvas["@id"].slice(base.length), init);
  // 2.1 asks for a label: that of a canvas without one is its place in the manifest.
  const others = ["within", ...(document.items[0].label ? [] : ["label"])];
  expect(without(own, "@context", ...others)).toEqual(without(canvas, ...others));
}

/**
 * Returns everything with an id and a type in a document, at any depth, except the document itself and mere
 * references to it.
 */
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
