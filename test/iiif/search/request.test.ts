// Parameters of searches, addresses of their services, and pages of their results.

import { describe, expect, test } from "vitest";
import { manifestOf } from "../../../src/iiif/presentation/derive.ts";
import { version2 } from "../../../src/iiif/presentation/v2/document.ts";
import { matchRange } from "../../../src/iiif/search/found.ts";
import { readSearchPath, searchAddress } from "../../../src/iiif/search/mounts.ts";
import { motivationsOfText, passesFilters, readSearchRequest } from "../../../src/iiif/search/request.ts";
import { searchServices } from "../../../src/iiif/search/services.ts";
import fc from "../../properties.ts";
import { expectValid } from "../presentation/checked.ts";
import { context, image } from "../presentation/facts.ts";
import { anyText, base, search } from "./facts.ts";

const filtered = (query: string) => readSearchRequest(new URLSearchParams(query), "search", ["date", "user"]);

describe("the parameters of a search", () => {
  test("name what makes no difference: unsupported filters and unknown names", () => {
    expect(search("q=a&date=x&user=y&min=3&colour=red").ignored).toEqual(["date", "user", "min", "colour"]);
    expect(search("q=a&date=&user=+").ignored).toEqual([]);
    expect(filtered("q=a&date=2015-01-01T00:00:00Z/2016-01-01T00:00:00Z&user=y").ignored).toEqual([]);
  });

  test("are bounded in length and number", () => {
    expect(() => search(`q=${"a".repeat(1001)}`)).toThrow(/at most 1000 characters in the parameter q/);
    expect(() => search(`motivation=${"a+".repeat(51)}`)).toThrow(/at most 50 values/);
    const names = Array.from({ length: 500 }, (_, at) => `x${at}=1`).join("&");
    expect(search(`${names}&${"y".repeat(100)}=1`).ignored.length).toBeLessThanOrEqual(100);
  });

  test.each(["0", "-1", "1.5", "x", "99999999999"])("have no page %s", (page) => {
    expect(() => search(`q=a&page=${page}`)).toThrow(/a whole number from 1 in the parameter page/);
  });

  test.each([
    "2015-01-01",
    "2015-01-01T00:00:00Z",
    "2015-01-01T00:00:00+01:00/2016-01-01T00:00:00Z",
    "2016-01-01T00:00:00Z/2015-01-01T00:00:00Z",
    "2015-13-01T00:00:00Z/2016-01-01T00:00:00Z",
    "2015-01-01T00:00:00Z/2016-01-01T00:00:00Z/2017-01-01T00:00:00Z",
  ])("have no range of dates %s", (range) => {
    expect(() => filtered(`q=a&date=${encodeURIComponent(range)}`)).toThrow(/ranges such as 2026/);
  });

  test("read any text without an unexpected error", () => {
    fc.assert(
      fc.property(anyText, anyText, (q, motivation) => {
        const request = readSearchRequest(new URLSearchParams({ q, motivation }), "autocomplete");
        expect(request.query).toBe(new URLSearchParams({ q }).get("q")?.trim());
      }),
    );
  });
});

describe("filters", () => {
  const text = { motivations: motivationsOfText };
  test.each([
    ["", true],
    ["motivation=painting", true],
    ["motivation=sc:painting", true],
    ["motivation=supplementing", true],
    ["motivation=commenting+painting", true],
    ["motivation=commenting", false],
    ["motivation=non-painting", false],
    // A filter that is given lets nothing through that does not say what it asks for.
    ["user=https://example.org/me", false],
    ["date=2015-01-01T00:00:00Z/2016-01-01T00:00:00Z", false],
  ])("of the query %s: the text of pages passes: %s", (query, expected) => {
    expect(passesFilters(filtered(query), text)).toBe(expected);
  });

  test("let comments through by date, person and motivation", () => {
    const comment = {
      motivations: ["commenting"],
      created: Date.parse("2015-06-01T00:00:00Z"),
      creators: ["https://example.org/me"],
    };
    const query =
      "motivation=non-painting&user=https://example.org/you+https://example.org/me&date=2015-01-01T00:00:00Z/2016-01-01T00:00:00Z";
    expect(passesFilters(filtered(query), comment)).toBe(true);
    expect(passesFilters(filtered("date=2016-01-01T00:00:00Z/2017-01-01T00:00:00Z"), comment)).toBe(false);
  });
});

describe("services", () => {
  const places = [
    [2, 3],
    [1, 3],
    [1, 2],
  ] as const;

  test("have an address for each version of the manifest and of the service, without a query", () => {
    const addresses = (["search", "autocomplete"] as const).flatMap((kind) =>
      places.map(([version, presentation]) =>
        searchAddress(base, { kind, search: version, presentation, id: "a b/_images" }),
      ),
    );
    expect(new Set(addresses).size).toBe(6);
    for (const address of addresses) {
      expect(address).not.toContain("?");
      const read = readSearchPath(address.slice(base.length));
      expect(searchAddress(base, { ...read, id: read?.documents[0]?.id } as never)).toBe(address);
      expect(read?.documents.map(({ extent }) => extent)).toEqual(["whole", "images"]);
    }
  });

  test.each([
    "/iiif/search/2/presentation/2/book",
    "/iiif/search/3/presentation/3/book",
    "/iiif/search/2/presentation/3/",
    "/iiif/search/2/presentation/3",
    "/iiif/search/",
    "/iiif/3/book",
  ])("have no path %s", (path) => {
    expect(readSearchPath(path)).toBeUndefined();
  });

  test("have no path outside of a source", () => {
    expect(() => readSearchPath("/iiif/search/2/presentation/3/a/..%2Fb")).toThrow(/identifier/);
  });

  test("are valid in a manifest of both versions", () => {
    const derived = manifestOf({ id: "book", label: "book", canvases: [image("book/1.jpg")] }, context);
    const { items, ...head } = derived;
    const written = expectValid({ ...head, service: searchServices(context.base, "book"), items });
    expect(written.service.profile).toBe("http://iiif.io/api/search/1/search");
  });

  test("are version 1 alone in manifests of 2.1, at addresses of their own (trap 2)", () => {
    const manifest = {
      id: `${base}/iiif/presentation/3/book`,
      type: "Manifest",
      label: { none: ["Book"] },
      service: searchServices(base, "book"),
      items: [],
    };
    expect(version2(manifest, base)?.service).toEqual({
      "@context": "http://iiif.io/api/search/1/context.json",
      "@id": `${base}/iiif/search/1/presentation/2/book`,
      profile: "http://iiif.io/api/search/1/search",
      service: {
        "@id": `${base}/iiif/autocomplete/1/presentation/2/book`,
        profile: "http://iiif.io/api/search/1/autocomplete",
      },
    });
  });
});

describe("pages of results", () => {
  test("hold a thousand matches", () => {
    expect(matchRange(2500, 3)).toEqual([2000, 2500]);
    expect(matchRange(1000, 1)).toEqual([0, 1000]);
    expect(matchRange(0, 1)).toEqual([0, 0]);
  });

  test("end with the last match", () => {
    expect(() => matchRange(1000, 2)).toThrow(/a page from 1 to 1 of this search; received 2/);
  });
});
