// The examples of the specifications: what they show is written for the same matches.

import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { readSearchRequest } from "../../../src/iiif/search/request.ts";
import { searchResponse, termsResponse } from "../../../src/iiif/search/responses.ts";
import { canvas, found, match, search, sites } from "./facts.ts";
import { problemsOfSearch1, problemsOfSearch2 } from "./rules.ts";

// biome-ignore lint/suspicious/noExplicitAny: documents are read by the members that tests name
type Read = any;

const examples: Readonly<Record<string, readonly Read[]>> = JSON.parse(
  readFileSync(new URL("../../vectors/iiif-examples.json", import.meta.url), "utf8"),
);
const numbered = (name: string) => (examples[name] ?? []).map((example, at) => [at + 1, example] as const);

/** The response as clients receive it. */
const sent = (document: unknown): Read => JSON.parse(JSON.stringify(document));

test.each(numbered("search2"))("example %i of version 2 passes the rules", (_, example) => {
  expect(problemsOfSearch2(example)).toEqual([]);
});

test.each(numbered("search1"))("example %i of version 1 passes the rules", (_, example) => {
  expect(problemsOfSearch1(example)).toEqual([]);
});

const bird = match(1, "There are two [birds] in the bush");
const cases = {
  "a simple list": found("q=bird&motivation=painting", match(1, "A [bird] in the hand is worth two")),
  "a reference to another manifest": found("q=bird", {
    ...bird,
    manifest: { id: "https://example.org/manifest1868", label: "Example Manifest" },
  }),
  "an ignored parameter": found("q=bird&user=https%3A%2F%2Fexample.com%2Fusers%2Fwigglesworth", bird),
  "context and highlighting": found("q=bird", bird),
  "several matches in a line": found("q=b*", bird, match(1, "There are two birds in the [bush]")),
  "a match on two lines": found("q=hand+is", match(1, "A bird in the [hand]", "[is] worth two in the bush.")),
  "no match": found("q=ostrich"),
  "the second of several pages": {
    ...found("q=bird&page=2", bird),
    total: 2500,
  },
};

test.each(Object.entries(cases))("%s passes the rules in every version", (_, each) => {
  expect(problemsOfSearch2(sent(searchResponse(each, sites.two)))).toEqual([]);
  for (const site of [sites.one, sites.oneOf2])
    expect(problemsOfSearch1(sent(searchResponse(each, site)))).toEqual([]);
});

describe("the response of version 2", () => {
  const address = "https://example.org/scans/iiif/search/2/presentation/3/books/one";

  test("contains each matching annotation in full (section 4.2.1)", () => {
    expect(sent(searchResponse(cases["a simple list"], sites.two))).toMatchObject({
      "@context": "http://iiif.io/api/search/2/context.json",
      id: `${address}?q=bird&motivation=painting`,
      type: "AnnotationPage",
      items: [
        {
          type: "Annotation",
          motivation: "supplementing",
          body: { type: "TextualBody", value: "A bird in the hand is worth two", format: "text/plain" },
          target: `${canvas(1).id}#xywh=100,100,250,20`,
        },
      ],
    });
  });

  test("names the pages of a long list (section 4.2.2)", () => {
    const page = (number: number) => ({ id: `${address}?q=bird&page=${number}`, type: "AnnotationPage" });
    const response = sent(searchResponse(cases["the second of several pages"], sites.two));
    expect(response).toMatchObject({
      id: `${address}?q=bird&page=2`,
      partOf: [{ id: `${address}?q=bird`, type: "AnnotationCollection", first: page(1), last: page(3) }],
      next: page(3),
      prev: page(1),
    });
    expect(response.items[0].id).toBe(`${address}?q=bird&page=2#match-1001`);
  });

  test("names the manifest of a canvas in another one (section 4.2.3)", () => {
    const { items } = sent(searchResponse(cases["a reference to another manifest"], sites.two));
    expect(items[0].target).toEqual({
      id: `${canvas(1).id}#xywh=100,100,250,20`,
      type: "Canvas",
      partOf: {
        id: "https://example.org/manifest1868",
        type: "Manifest",
        label: { none: ["Example Manifest"] },
      },
    });
  });

  test("lists ignored parameters, and omits them from its id (section 4.2.4)", () => {
    const response = sent(searchResponse(cases["an ignored parameter"], sites.two));
    expect(response.ignored).toEqual(["user"]);
    expect(response.id).toBe(`${address}?q=bird`);
  });

  test("quotes the match within its line (section 4.3.2)", () => {
    const { items, annotations } = sent(searchResponse(cases["context and highlighting"], sites.two));
    expect(annotations[0].items).toEqual([
      {
        id: expect.stringContaining("#hit-1"),
        type: "Annotation",
        motivation: "highlighting",
        target: {
          type: "SpecificResource",
          source: items[0].id,
          selector: [
            {
              type: "TextQuoteSelector",
              prefix: "There are two ",
              exact: "birds",
              suffix: " in the bush",
            },
          ],
        },
      },
    ]);
  });

  test("has a hit for each match in a line (section 4.3.3)", () => {
    const { items, annotations } = sent(searchResponse(cases["several matches in a line"], sites.two));
    const quoted = annotations[0].items.map(({ target }: Read) => target.selector[0]);
    expect(quoted).toMatchObject([
      { exact: "birds", suffix: " in the bush" },
      { prefix: "There are two birds in the ", exact: "bush" },
    ]);
    expect(quoted[1]).not.toHaveProperty("suffix");
    expect(items).toHaveLength(2);
  });

  test("has one hit with two targets for a match on two lines (section 4.3.4)", () => {
    const { items, annotations } = sent(searchResponse(cases["a match on two lines"], sites.two));
    expect(items.map(({ target }: Read) => target)).toEqual([
      `${canvas(1).id}#xywh=100,100,250,20`,
      `${canvas(1).id}#xywh=100,140,250,20`,
    ]);
    expect(annotations[0].items).toHaveLength(1);
    expect(annotations[0].items[0].target).toMatchObject([
      { source: items[0].id, selector: [{ prefix: "A bird in the ", exact: "hand" }] },
      { source: items[1].id, selector: [{ exact: "is", suffix: " worth two in the bush." }] },
    ]);
  });
});

describe("the response of version 1", () => {
  const address = "https://example.org/scans/iiif/search/1/presentation/3/books/one";

  test("has a hit of the matched words with the text around them (section 3.4.2)", () => {
    const response = sent(searchResponse(cases["context and highlighting"], sites.one));
    expect(response).toMatchObject({
      "@context": [
        "http://iiif.io/api/presentation/2/context.json",
        "http://iiif.io/api/search/1/context.json",
      ],
      "@id": `${address}?q=bird`,
      within: { "@type": "sc:Layer", total: 1 },
      resources: [
        {
          "@type": "oa:Annotation",
          motivation: "sc:painting",
          resource: { "@type": "cnt:ContentAsText", chars: "birds" },
          on: `${canvas(1).id}#xywh=100,100,250,20`,
        },
      ],
      hits: [
        {
          "@type": "search:Hit",
          annotations: [response.resources[0]["@id"]],
          match: "birds",
          before: "There are two ",
          after: " in the bush",
        },
      ],
    });
  });

  test("lists ignored parameters in its layer (section 3.4.1)", () => {
    const { within } = sent(searchResponse(cases["an ignored parameter"], sites.one));
    expect(within.ignored).toEqual(["user"]);
  });

  test("names the pages of a long list (section 3.3.2)", () => {
    expect(sent(searchResponse(cases["the second of several pages"], sites.one))).toMatchObject({
      "@id": `${address}?q=bird&page=2`,
      within: {
        "@type": "sc:Layer",
        total: 2500,
        first: `${address}?q=bird&page=1`,
        last: `${address}?q=bird&page=3`,
      },
      next: `${address}?q=bird&page=3`,
      prev: `${address}?q=bird&page=1`,
      startIndex: 1000,
    });
  });

  test("has one hit with two annotations for a match on two lines (section 3.4.4)", () => {
    const { resources, hits } = sent(searchResponse(cases["a match on two lines"], sites.one));
    expect(hits).toEqual([
      {
        "@type": "search:Hit",
        annotations: resources.map((each: Read) => each["@id"]),
        match: "hand is",
        before: "A bird in the ",
        after: " worth two in the bush.",
      },
    ]);
  });
});

describe("terms that a query begins", () => {
  const request = readSearchRequest(
    new URLSearchParams("q=bir&motivation=painting&user=https://example.com/users/x"),
    "autocomplete",
  );
  const terms = [
    { value: "bird", total: 15, language: "en" },
    { value: "biro", total: 3 },
  ];

  test("are a page of terms in version 2 (section 5.3)", () => {
    const response = sent(termsResponse(terms, request, { ...sites.two, kind: "autocomplete" }));
    expect(problemsOfSearch2(response)).toEqual([]);
    expect(response).toEqual({
      "@context": "http://iiif.io/api/search/2/context.json",
      id: "https://example.org/scans/iiif/autocomplete/2/presentation/3/books/one?q=bir&motivation=painting",
      type: "TermPage",
      ignored: ["user"],
      items: [
        { value: "bird", total: 15, language: "en" },
        { value: "biro", total: 3 },
      ],
    });
  });

  test("are a list with the searches for them in version 1 (section 4.3)", () => {
    const response = sent(termsResponse(terms, request, { ...sites.oneOf2, kind: "autocomplete" }));
    expect(problemsOfSearch1(response)).toEqual([]);
    const url = "https://example.org/scans/iiif/search/1/presentation/2/books/one";
    expect(response).toMatchObject({
      "@id":
        "https://example.org/scans/iiif/autocomplete/1/presentation/2/books/one?q=bir&motivation=painting",
      "@type": "search:TermList",
      ignored: ["user"],
      terms: [
        { match: "bird", url: `${url}?q=bird&motivation=painting`, count: 15 },
        { match: "biro", url: `${url}?q=biro&motivation=painting`, count: 3 },
      ],
    });
  });
});

test("the request of a search is read as the specification defines it (section 4.1.1)", () => {
  expect(search("q=bird&motivation=painting+oa:tagging")).toMatchObject({
    query: "bird",
    motivations: ["painting", "tagging"],
    ignored: [],
  });
});
