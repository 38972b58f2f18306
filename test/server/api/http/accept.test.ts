// The effect of a request's Accept field: JSON-LD for image information, a page for problems.

import { beforeAll, describe, expect, test } from "vitest";
import { type Served, served } from "../../../served.ts";
import { acceptHeaders } from "../../../vectors/information-types.ts";

let app: Served;
beforeAll(async () => {
  app = await served();
});

const typeOf = async (target: string, accept: string | undefined) => {
  const response = await app.get(target, accept === undefined ? {} : { headers: { Accept: accept } });
  expect(response.headers.get("Vary")).toMatch(/\bAccept\b/);
  return response.headers.get("Content-Type");
};

test.each(acceptHeaders)("image information for Accept %j is JSON-LD: %j", async (accept, jsonLd) => {
  expect(await typeOf("/iiif/3/base.png/info.json", accept)).toBe(
    jsonLd ? 'application/ld+json;profile="http://iiif.io/api/image/3/context.json"' : "application/json",
  );
});

describe("a problem", () => {
  test.each([
    ["text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8", true],
    ["text/html, */*", true],
    ["text/*", true],
    ["TEXT/HTML;charset=utf-8", true],
    ["text/html;q=0.2, application/json;q=0.1", true],
    ["application/*;q=0, text/html;q=0.1", true],
    [undefined, false],
    ["", false],
    ["*/*", false],
    ["image/avif,image/webp,*/*;q=0.8", false],
    ["application/json, text/html;q=0.5", false],
    ["application/problem+json, text/html;q=0.9", false],
    ["application/json;q=0.2, text/html;q=0.1", false],
    ["text/html;q=0, */*", false],
    ["text/html;q=0.0", false],
    ["text/html;q=0, text/*", false],
    ['text/plain;a="text/html"', false],
    ["text/htmlx", false],
  ] as const)("for Accept %j is a page: %j", async (accept, page) => {
    expect(await typeOf("/iiif/3/none.jpg/info.json", accept)).toBe(
      page ? "text/html; charset=utf-8" : "application/problem+json",
    );
  });
});
