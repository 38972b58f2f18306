// Checks of a document in both versions: by the rules of the specifications, and by a second reader.

import { normalize } from "@iiif/parser";
import { convertPresentation2 } from "@iiif/parser/presentation-2";
import { expect } from "vitest";
import { version2 } from "../../../src/iiif/presentation/v2/document.ts";
import { base } from "./facts.ts";
import { problemsOf2 } from "./rules-2.ts";
import { problemsOf3 } from "./rules-3.ts";

// biome-ignore lint/suspicious/noExplicitAny: documents are read by the members that tests name
export type Read = any;

/** Expects a document of 3.0 to be valid, in 2.1 as well, and to be read by others; returns that of 2.1. */
export function expectValid(document: unknown): Read {
  // The response is JSON, without undefined members.
  const sent: Read = JSON.parse(JSON.stringify(document));
  expect(problemsOf3(sent)).toEqual([]);
  const written: Read = JSON.parse(JSON.stringify(version2(sent, base)));
  expect(problemsOf2(written)).toEqual([]);

  const type = sent.type as "Manifest" | "Collection" | "Canvas";
  expect(count(normalize(structuredClone(sent)), type)).toBe(count3(sent));
  if (type === "Manifest" || type === "Collection") {
    const upgraded: Read = convertPresentation2(structuredClone(written));
    expect(upgraded).toMatchObject({ id: written["@id"], type });
    expect(upgraded.items).toHaveLength(sent.items.length);
    expect(upgraded.label).toEqual(sent.label);
  }
  return written;
}

function count({ entities, resource }: Read, type: string): number {
  const found = entities[type]?.[resource.id];
  expect(found).toMatchObject({ type });
  return found.items.length;
}

const count3 = ({ items }: Read) => items.length;
