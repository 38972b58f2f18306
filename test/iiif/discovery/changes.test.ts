// The stream of changes: by the rules of Change Discovery 1.0, its examples, and a harvester of our own.

import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import {
  type Change,
  type ChangePage,
  changesCollection,
  changesPage,
  changesType,
} from "../../../src/iiif/discovery/changes.ts";
import { changesAddress, changesPageAddress, changesPageOf } from "../../../src/iiif/discovery/mounts.ts";
import { seeded } from "../../seeded.ts";
import { newHarvest, visit } from "./harvester.ts";

// biome-ignore lint/suspicious/noExplicitAny: documents are read by the members that tests name
type Read = any;

const base = "https://example.org/scans";
const stream = changesAddress(base);
const sent = (document: unknown): Read => document && JSON.parse(JSON.stringify(document));

const examples: readonly Read[] = JSON.parse(
  readFileSync(new URL("../../vectors/iiif-examples.json", import.meta.url), "utf8"),
).discovery;

const isUri = (value: unknown) => typeof value === "string" && /^https?:/.test(value) && URL.canParse(value);
const isTime = (value: unknown) => typeof value === "string" && /^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(value);
const refers = (value: Read, type: string) => isUri(value?.id) && value.type === type;
const types = ["Create", "Update", "Delete", "Move", "Add", "Remove", "Refresh"];
const when = (good: boolean, problem: string): readonly string[] => (good ? [] : [problem]);

/** Returns what is wrong with a document of a stream (sections 3.1 to 3.4). */
function problemsOf(document: Read): readonly string[] {
  const context = "http://iiif.io/api/discovery/1/context.json";
  const top = [
    ...when(document["@context"] === context && Object.keys(document)[0] === "@context", "context"),
    ...when(isUri(document.id), "id"),
  ];
  const { type, first, last, next, prev, partOf, totalItems, startIndex, orderedItems } = document;
  const isCount = (value: unknown) => value === undefined || (Number.isInteger(value) && Number(value) >= 0);
  if (type === "OrderedCollection")
    return [
      ...top,
      ...when(refers(last, "OrderedCollectionPage"), "last"),
      ...when(first === undefined || refers(first, "OrderedCollectionPage"), "first"),
      ...when(isCount(totalItems), "totalItems"),
      ...when(partOf === undefined || partOf.every((each: Read) => refers(each, type)), "partOf"),
    ];
  if (type !== "OrderedCollectionPage") return activityProblems(document);
  const times = orderedItems.map(({ endTime, startTime }: Read) => Date.parse(endTime ?? startTime));
  return [
    ...top,
    ...when(refers(partOf, "OrderedCollection"), "partOf"),
    ...when(next === undefined || refers(next, type), "next"),
    ...when(prev === undefined || refers(prev, type), "prev"),
    ...when(isCount(startIndex), "startIndex"),
    ...when(Array.isArray(orderedItems) && orderedItems.length > 0, "orderedItems"),
    ...when(
      times.every((time: number, at: number) => at === 0 || time >= times[at - 1]),
      "order",
    ),
    ...orderedItems.flatMap(activityProblems),
  ];
}

function activityProblems({ type, object, target, startTime, endTime }: Read): readonly string[] {
  return [
    ...when(types.includes(type), "type of an activity"),
    ...when((type === "Refresh") === (object === undefined), "object of an activity"),
    ...when(object === undefined || refers(object, "Manifest"), "object of an activity"),
    ...when(type !== "Move" || (isUri(target?.id) && target.id !== object.id), "target of a move"),
    ...when(endTime === undefined || isTime(endTime), "endTime"),
    ...when(startTime === undefined || isTime(startTime), "startTime"),
  ];
}

const id = (name: string | number) => `${base}/iiif/presentation/3/${name}`;
const manifest = (name: string | number) => ({ id: id(name), type: "Manifest" as const });

const pageAddress = (number: number) => changesPageAddress(base, { stream: "s1", number });

/** A stream in memory, in pages of a few entries; returns its documents by their addresses. */
function published(changes: readonly Change[], perPage = 7): (address: string) => Read {
  const pages = Math.ceil(changes.length / perPage);
  return (address) => {
    if (address === stream) return sent(changesCollection({ base, id: "s1", total: changes.length, pages }));
    const { stream: of, number = pages } = changesPageOf(address.slice(base.length)) ?? {};
    if (of !== "s1" || number >= pages) throw new Error(`not found: ${address}`);
    const start = number * perPage;
    const page: ChangePage = {
      number,
      start,
      ...(start > 0 && { after: changes[start - 1]?.time ?? 0 }),
      changes: changes.slice(start, start + perPage),
    };
    return sent(changesPage(page, { base, id: "s1", pages }));
  };
}

describe("the documents of a stream", () => {
  test.each(examples.map((example, at) => [at + 1, example]))("example %i passes the rules", (_, example) => {
    expect(problemsOf(example)).toEqual([]);
  });

  test("are those of the specification's example (sections 2.2 and 2.3)", () => {
    const changes: Change[] = [
      { type: "Create", object: manifest(1), time: Date.parse("2018-03-09T10:00:00Z") },
      { type: "Update", object: manifest(9), time: Date.parse("2018-03-10T10:00:00Z") },
      { type: "Update", object: manifest(2), time: Date.parse("2018-03-11T16:30:00Z") },
      { type: "Delete", object: manifest(3), time: Date.parse("2018-03-12T10:00:00Z") },
    ];
    const get = published(changes, 1);
    const page = (number: number) => ({
      id: pageAddress(number),
      type: "OrderedCollectionPage",
    });
    expect(get(stream)).toEqual({
      "@context": "http://iiif.io/api/discovery/1/context.json",
      id: "https://example.org/scans/iiif/changes",
      type: "OrderedCollection",
      totalItems: 4,
      first: page(0),
      last: page(3),
    });
    expect(get(pageAddress(1))).toEqual({
      "@context": "http://iiif.io/api/discovery/1/context.json",
      ...page(1),
      startIndex: 1,
      partOf: { id: stream, type: "OrderedCollection" },
      prev: page(0),
      next: page(2),
      orderedItems: [
        {
          type: "Update",
          object: { id: `${base}/iiif/presentation/3/9`, type: "Manifest" },
          endTime: "2018-03-10T10:00:00.000Z",
        },
      ],
    });
    expect(get(pageAddress(0))).not.toHaveProperty("prev");
    expect(get(pageAddress(3))).not.toHaveProperty("next");
  });

  test("say what an aggregator adds and removes, moves and refreshes (sections 2.1.4 and 2.1.5)", () => {
    const time = Date.parse("2020-06-21T00:00:00Z");
    const seeAlso = [{ id: "https://example.org/edm/1", format: "application/rdf+xml" }];
    const changes: Change[] = [
      { type: "Refresh", summary: "System refresh initiated", time },
      { type: "Add", object: { ...manifest(1), seeAlso, canonical: "https://example.org/1" }, time },
      { type: "Remove", object: manifest(1), time },
      { type: "Move", object: manifest(1), target: manifest(2), time },
    ];
    const { orderedItems } = published(changes)(pageAddress(0));
    const endTime = "2020-06-21T00:00:00.000Z";
    expect(orderedItems).toEqual([
      { type: "Refresh", summary: "System refresh initiated", startTime: endTime },
      {
        type: "Add",
        object: {
          ...manifest(1),
          canonical: "https://example.org/1",
          seeAlso: [{ id: "https://example.org/edm/1", type: "Dataset", format: "application/rdf+xml" }],
        },
        target: { id: stream, type: "OrderedCollection" },
        endTime,
      },
      { type: "Remove", object: manifest(1), origin: { id: stream, type: "OrderedCollection" }, endTime },
      { type: "Move", object: manifest(1), target: manifest(2), endTime },
    ]);
  });

  test("name license, descriptions and a larger stream", () => {
    const rights = "http://creativecommons.org/licenses/by/4.0/";
    const label = { en: ["DCAT description"] };
    const dataset = { id: "https://example.org/dcat.jsonld", label, profile: "http://www.w3.org/ns/dcat#" };
    const document = sent(
      changesCollection({
        base,
        id: "s1",
        total: 1,
        pages: 1,
        rights,
        seeAlso: [dataset],
        partOf: "https://example.org/all",
      }),
    );
    expect(problemsOf(document)).toEqual([]);
    expect(document).toMatchObject({
      rights,
      seeAlso: [{ type: "Dataset", ...dataset }],
      partOf: [{ id: "https://example.org/all", type: "OrderedCollection" }],
    });
  });

  test("do not exist for a stream without entries", () => {
    expect(changesCollection({ base, id: "s1", total: 0, pages: 0 })).toBeUndefined();
    expect(changesPage({ number: 0, start: 0, changes: [] }, { base, id: "s1", pages: 1 })).toBeUndefined();
  });

  test("never go back in time, on a page and over pages (trap 10)", () => {
    const times = [5000, 3000, 9000, 1000];
    const changes = times.map((time, at): Change => ({ type: "Update", object: manifest(at), time }));
    const page = sent(
      changesPage({ number: 1, start: 9, after: 6000, changes }, { base, id: "s1", pages: 2 }),
    );
    expect(problemsOf(page)).toEqual([]);
    expect(page.orderedItems.map(({ endTime }: Read) => Date.parse(endTime))).toEqual([
      6000, 6000, 9000, 9000,
    ]);
  });

  test("have the media type of the specification", () => {
    expect(changesType).toBe('application/ld+json;profile="http://iiif.io/api/discovery/1/context.json"');
  });

  test.each([
    "/iiif/changes/s1/01",
    "/iiif/changes/s1/-1",
    "/iiif/changes/s1/",
    "/iiif/changes/S1/0",
    "/iiif/changes",
  ])("are no pages at %s", (path) => {
    expect(changesPageOf(path)).toBeUndefined();
  });
});

describe("a harvester", () => {
  test("of an empty stream has nothing", () => {
    const harvest = newHarvest();
    visit(harvest, stream, 1, published([]));
    expect(harvest.known.size).toBe(0);
  });

  test.each([
    ["by the text of the specification, of changes without moves", false],
    ["that looks at both ends of moves", true],
  ])("%s has what the service has whenever it visits, after a thousand changes", (_, withMoves) => {
    for (const seed of [1, 2, 3, 4]) {
      const random = seeded(seed);
      const changes: Change[] = [];
      const there = new Set<number>();
      const often = newHarvest();
      const seldom = newHarvest();
      let time = 1_000_000;
      for (let step = 0; step < 1000; step++) {
        // Several entries of one moment.
        time += random(3) * 500;
        const name = random(60);
        const other = random(60);
        const isThere = there.has(name);
        if (random(200) === 0) {
          changes.push({ type: "Refresh", time });
          for (const each of there) changes.push({ type: "Update", object: manifest(each), time });
        } else if (!isThere) {
          there.add(name);
          changes.push({ type: "Create", object: manifest(name), time });
        } else if (random(3) === 0) {
          there.delete(name);
          changes.push({ type: "Delete", object: manifest(name), time });
        } else if (withMoves && random(4) === 0 && !there.has(other)) {
          there.delete(name);
          there.add(other);
          changes.push({ type: "Move", object: manifest(name), target: manifest(other), time });
        } else changes.push({ type: "Update", object: manifest(name), time });
        const expected = () => new Set([...there].map(id));
        if (random(10) === 0) {
          visit(often, stream, time, published(changes));
          expect(often.known).toEqual(expected());
        }
        if (random(150) === 0) {
          visit(seldom, stream, time, published(changes, 50));
          expect(seldom.known).toEqual(expected());
        }
      }
      const late = newHarvest();
      visit(late, stream, time, published(changes));
      expect(late.known).toEqual(new Set([...there].map(id)));
    }
  });

  test("is told of each change once, if no two share a moment", () => {
    const changes: Change[] = [];
    const harvest = newHarvest();
    let told = 0;
    for (let at = 0; at < 300; at++) {
      changes.push({ type: "Update", object: manifest(at), time: 1000 * (at + 1) });
      if (at % 13 !== 12) continue;
      visit(harvest, stream, 1000 * (at + 1) + 1, published(changes));
      told += harvest.told.size;
    }
    expect(told).toBe(harvest.known.size);
  });

  test("that is new stops at a refresh", () => {
    const before = Array.from(
      { length: 100 },
      (_, at): Change => ({
        type: "Create",
        object: manifest(at),
        time: 1000 + at,
      }),
    );
    const after: Change[] = [
      { type: "Refresh", time: 5000 },
      { type: "Update", object: manifest(7), time: 5001 },
    ];
    const fetched: string[] = [];
    const get = published([...before, ...after]);
    const harvest = newHarvest();
    visit(harvest, stream, 6000, (address) => {
      fetched.push(address);
      return get(address);
    });
    expect([...harvest.known]).toEqual([id(7)]);
    expect(fetched).toHaveLength(2);
  });
});
