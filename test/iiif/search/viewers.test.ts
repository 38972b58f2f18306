// What viewers need of search responses beyond the specification. Each reader here does what a viewer does
// with a response, and fails as that viewer fails.

import { normalize, Traverse } from "@iiif/parser";
import { describe, expect, test } from "vitest";
import { matchesPerPage } from "../../../src/iiif/search/found.ts";
import { readSearchRequest } from "../../../src/iiif/search/request.ts";
import { searchResponse, termsResponse } from "../../../src/iiif/search/responses.ts";
import { searchServices } from "../../../src/iiif/search/services.ts";
import fc from "../../properties.ts";
import { anyText, base, canvas, found, match, part, search, sites } from "./facts.ts";

// biome-ignore lint/suspicious/noExplicitAny: documents are read by the members that tests name
type Read = any;

/** The response as clients receive it. */
const sent = (document: unknown): Read => JSON.parse(JSON.stringify(document));

const one = found("q=bird", match(1, "There are two [birds] in the bush"), match(2, "A [bird]"));
const many = {
  request: search("q=bird"),
  matches: Array.from({ length: matchesPerPage }, (_, at) => match(at + 1, "a [bird] again")),
  total: 2 * matchesPerPage,
};

describe("Clover", () => {
  test.each([
    ["one page", one],
    ["several pages", many],
  ])("reads a response of %s through @iiif/parser (trap 1)", (_, each) => {
    const response = sent(searchResponse(each, sites.two));
    const { entities, resource }: Read = normalize(structuredClone(response));
    expect(resource).toEqual({ id: response.id, type: "AnnotationPage" });
    const { items } = entities.AnnotationPage[response.id];
    expect(items).toHaveLength(each.matches.length);
    const annotation = entities.Annotation[items[0].id];
    expect(entities.ContentResource[annotation.body[0].id]).toMatchObject({ type: "TextualBody" });
  });

  test("finds the collection of a paged response as in Presentation 3.0, whose object alone fails (trap 1)", () => {
    const response = sent(searchResponse(many, sites.two));
    const pages = (document: Read) => {
      let count = 0;
      const note = (page: Read) => {
        count++;
        return page;
      };
      const visit = new Traverse({ annotationPage: [note] });
      visit.traverseUnknown(document);
      return count;
    };
    expect(pages(structuredClone(response))).toBeGreaterThan(0);
    expect(() => pages({ ...response, partOf: response.partOf[0] })).toThrow();
  });

  test("groups targets that are texts by their canvas (trap 3)", () => {
    const { items } = sent(searchResponse(one, sites.two));
    expect(items.map(({ target }: Read) => target.split("#")[0])).toEqual([canvas(1).id, canvas(2).id]);
  });
});

/** Returns the rectangles that UV draws, by canvas, as its code reads version 1. */
function rectanglesOfUv({ resources }: Read): readonly (readonly [canvas: string, ...box: number[]])[] {
  return resources.map(({ on }: Read) => {
    const id = on.match(/(.*)#/)[1];
    const [, x, y, width, height] = on.match(/xywh=(\d+),(\d+),(\d+),(\d+)$/).map(Number);
    return [id, x, y, width, height];
  });
}

describe("UV", () => {
  test("draws boxes in whole numbers inside the canvas (trap 3)", () => {
    const boxes = found(
      "q=bird",
      match(1, part("[a]", { box: [10.4, 20.6, 5.2, 5.2] })),
      match(1, part("[b]", { box: [-5, -5, 50, 50] })),
      match(1, part("[c]", { box: [1990, 2990, 500, 500] })),
      match(1, part("[d]", { box: [5000, 5000, 10, 10] })),
      match(1, part("[e]", { box: [7, 8, 0, 0] })),
      match(1, part("[f]", { box: [Number.NaN, 0, 1, 1] })),
    );
    expect(rectanglesOfUv(sent(searchResponse(boxes, sites.one)))).toEqual([
      [canvas(1).id, 10, 20, 6, 6],
      [canvas(1).id, 0, 0, 45, 45],
      [canvas(1).id, 1990, 2990, 10, 10],
      [canvas(1).id, 1999, 2999, 1, 1],
      [canvas(1).id, 7, 8, 1, 1],
      [canvas(1).id, 0, 0, 2000, 3000],
    ]);
  });

  test("marks the whole canvas if a file says no box", () => {
    const plain = found("q=bird", match(3, part("a [bird]")));
    expect(rectanglesOfUv(sent(searchResponse(plain, sites.one)))).toEqual([
      [canvas(3).id, 0, 0, 2000, 3000],
    ]);
  });

  test("finds the canvases of a manifest of 2.1 by their ids in it (trap 4)", () => {
    const [[first] = []] = rectanglesOfUv(sent(searchResponse(one, sites.oneOf2)));
    expect(first).toBe(`${base}/iiif/presentation/2/books/one/canvas/1`);
    const [[other] = []] = rectanglesOfUv(sent(searchResponse(one, sites.one)));
    expect(other).toBe(canvas(1).id);
  });

  test("has all of a thousand matches in its first request (trap 5)", () => {
    const response = sent(searchResponse({ ...many, total: matchesPerPage }, sites.one));
    expect(response).not.toHaveProperty("next");
    expect(response.within).toEqual({ "@type": "sc:Layer", total: matchesPerPage });
    const response2 = sent(searchResponse({ ...many, total: matchesPerPage }, sites.two));
    expect(response2).not.toHaveProperty("next");
    expect(response2).not.toHaveProperty("partOf");
  });

  test("finds no version 2 service by a profile (trap 2)", () => {
    const [service2, service1] = searchServices(base, "books/one");
    expect(JSON.stringify(service2)).not.toContain("profile");
    expect(service1).toMatchObject({
      "@type": "SearchService1",
      profile: "http://iiif.io/api/search/1/search",
    });
  });
});

describe("Mirador", () => {
  test.each([
    ["one page", one],
    ["several pages", many],
    ["a match on two lines", found("q=hand+is", match(1, "in the [hand]", "[is] worth"))],
  ])("finds each annotation of a hit in %s (trap 6)", (_, each) => {
    const { resources, hits } = sent(searchResponse(each, sites.one));
    const ids = new Set(resources.map((resource: Read) => resource["@id"]));
    for (const hit of hits) for (const id of hit.annotations) expect(ids).toContain(id);
  });

  test("counts down the hits that are left (trap 6)", () => {
    const response = sent(searchResponse(many, sites.one));
    expect(response.within.total - response.hits.length).toBe(matchesPerPage);
    const lines = found("q=hand+is", match(1, "in the [hand]", "[is] worth"));
    const { within, hits, resources } = sent(searchResponse(lines, sites.one));
    expect([within.total, hits.length, resources.length]).toEqual([1, 1, 2]);
  });
});

test("iiif-helpers find the items of a hit by texts", () => {
  const response = sent(searchResponse(found("q=x", match(1, "[a]", "[b]")), sites.two));
  const sources = response.annotations[0].items.flatMap(({ target }: Read) =>
    [target].flat().map(({ source }: Read) => source),
  );
  expect(sources).toEqual(response.items.map(({ id }: Read) => id));
});

/** Returns all texts of a value. */
function textsIn(value: Read): readonly string[] {
  if (typeof value === "string") return [value];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(textsIn) : [];
}

describe("a text of any file", () => {
  const any = fc.oneof(
    anyText,
    fc.stringMatching(/^[<>/!?a-z "=]{0,30}$/),
    fc.constantFrom("<img src=x onerror=alert(1)>", "<", "</script>", "<!--", "<?xml", "\ud800", "<\ud800a"),
  );

  test("begins no element in a viewer that takes it for HTML, and is well-formed (trap 7)", () => {
    fc.assert(
      fc.property(any, any, any, any, (before, exact, after, query) => {
        const parameters = new URLSearchParams({ q: query });
        const each = {
          ...found("q=x", {
            canvas: canvas(1),
            parts: [{ before, exact, after }],
            text: { before, exact, after },
          }),
          request: readSearchRequest(parameters, "search"),
        };
        const terms = [{ value: exact, total: 1 }];
        for (const site of Object.values(sites)) {
          const documents = [searchResponse(each, site), termsResponse(terms, each.request, site)].map(sent);
          for (const text of documents.flatMap(textsIn)) {
            expect(text).not.toMatch(/<[A-Za-z/!?]|<$/);
            expect(text).not.toMatch(/\p{Surrogate}/u);
          }
          // Mirador and iiif-helpers join the pieces.
          const [{ hits = [], annotations = [] } = {}] = documents;
          for (const hit of hits) expect(hit.before + hit.match + hit.after).not.toMatch(/<[A-Za-z/!?]/);
          for (const { items } of annotations)
            for (const { target } of items) {
              const [{ prefix = "", exact = "", suffix = "" }] = target.selector;
              expect(documents[0].items[0].body.value).toBe(prefix + exact + suffix);
            }
        }
      }),
      { numRuns: 40 },
    );
  });

  test("is cut around the match if a line is as long as a chapter", () => {
    const long = "𝔞".repeat(100_000);
    const { items, annotations } = sent(
      searchResponse(found("q=x", match(1, `${long}[${long}]${long}`)), sites.two),
    );
    expect(items[0].body.value.length).toBeLessThan(2000);
    expect(items[0].body.value).not.toContain("\ufffd");
    expect(annotations[0].items[0].target.selector[0].exact.length).toBeLessThanOrEqual(1000);
  });
});
