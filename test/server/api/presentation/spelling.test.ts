// Each document and each part of one has one address: its id. Other spellings redirect to it.

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { identifierOf } from "../../../../src/iiif/image/path.ts";
import fc from "../../../properties.ts";
import { type Served, served } from "../../../served.ts";
import { type Laid, layFolder } from "./folder.ts";
import { type Json, json, walk } from "./walk.ts";

const base = "http://images.test";
const root = "/iiif/presentation/3";
/** Names with all signs that encodeURIComponent keeps, and most of those that it encodes. */
const odd = "Bach, J. S. (1685)! *it's* @;:&=+$ü~";

let laid: Laid;
let app: Served;

beforeAll(async () => {
  laid = await layFolder();
  await laid.put(`${odd}/1, a.jpg`, "jpg-gray.jpg");
  await laid.put("mixed, up/inner/1.jpg", "jpg-gray.jpg");
  await laid.put("mixed, up/loose.jpg", "jpg-gray.jpg");
  await laid.put("a%2Fb/1.jpg", "jpg-gray.jpg");
  await laid.put("a/b/1.jpg", "jpg-gray.jpg");
  await laid.write(`${odd}/manifest.yaml`, "structures: { label: All, items: [1] }");
  app = await served(laid.yaml());
});

afterAll(() => laid.drop());

/** Follows redirects, at most five, and returns the addresses that were asked for. */
async function follow(from: string, app: Served) {
  const asked = [from];
  for (let hops = 0; hops < 5; hops++) {
    const response = await app.get(asked.at(-1) as string);
    const location = response.headers.get("Location");
    if (location === null) return { asked, response };
    expect(location.startsWith(`${base}/`)).toBe(true);
    asked.push(location.slice(base.length));
  }
  throw new Error(`Expected at most five redirects, received ${asked.join(" ")}.`);
}

describe("an address that a client builds of names", () => {
  test.each([
    [odd],
    [odd, "1, a.jpg"],
    [odd, "canvas", "1"],
    [odd, "canvas", "1", "page"],
    [odd, "canvas", "1", "annotation"],
    [odd, "range", "1"],
    ["mixed, up"],
    ["mixed, up", "_images"],
    ["mixed, up", "_images", "canvas", "1"],
  ])("is the id, in both versions: %s %s %s %s", async (...names) => {
    const path = names.map(encodeURIComponent).join("/");
    const document = await json(app, `${root}/${path}`);
    expect(document.id).toBe(`${base}${root}/${path}`);
    const older = await json(app, `/iiif/presentation/2/${path}`);
    expect(older["@id"]).toBe(`${base}/iiif/presentation/2/${path}`);
  });

  test("is what all documents name", async () => {
    const documents = await walk(app, root, { base });
    expect(documents.size).toBe(8);
    for (const id of documents.keys()) {
      const names = id.slice(base.length + 1).split("/");
      expect(names.map((name) => encodeURIComponent(decodeURIComponent(name)))).toEqual(names);
    }
  });
});

describe("another spelling of an address", () => {
  const own = (id: string) =>
    id === "" ? root : `${root}/${id.split("/").map(encodeURIComponent).join("/")}`;

  test.each([
    ["with a slash at its end", `${root}/a/b/`, "a/b"],
    ["with a slash after the root", `${root}/`, ""],
    ["with an encoded slash", `${root}/a%2Fb`, "a/b"],
    ["with an encoded slash in lower case", `${root}/a%2fb`, "a/b"],
    ["with signs that are not encoded", `${root}/mixed,%20up`, "mixed, up"],
    ["with lower-case escapes", `${root}/mixed%2c%20up`, "mixed, up"],
    ["with encoded letters", `${root}/%61/b`, "a/b"],
    ["with an unknown parameter", `${root}/a/b?t=1`, "a/b"],
    ["of a canvas", `${root}/a%2Fb/canvas/1/`, "a/b/canvas/1"],
    ["of a page of annotations", `${root}/a%2Fb/canvas/1/page`, "a/b/canvas/1/page"],
    ["of a range", `${root}/${encodeURIComponent(odd)}/range/1?x`, `${odd}/range/1`],
    ["of the images beside folders", `${root}/mixed,%20up/_images`, "mixed, up/_images"],
  ])("redirects to the id: %s", async (_, other, id) => {
    for (const version of [3, 2]) {
      const target = other.replace(root, `/iiif/presentation/${version}`);
      const response = await app.get(target, { headers: { Origin: "https://viewer.test" } });
      expect(response.status).toBe(301);
      expect(response.headers.get("Location")).toBe(
        base + own(id).replace(root, `/iiif/presentation/${version}`),
      );
      expect(response.headers.get("Access-Control-Allow-Origin")).toBe("*");
      expect((await app.get(target, { method: "HEAD" })).status).toBe(301);
      const found = await follow(target, app);
      expect(found.response.status).toBe(200);
      expect(found.asked).toHaveLength(2);
    }
  });

  test("that is encoded twice is that of another folder", async () => {
    for (const [path, id] of [
      ["a%252Fb", "a%2Fb"],
      ["a/b", "a/b"],
    ]) {
      const { id: found } = await json(app, `${root}/${path}`);
      expect(found).toBe(`${base}${own(id as string)}`);
    }
  });

  test("leads to the id by one redirect, whatever characters are encoded", async () => {
    const nibble = (text: string, lower: boolean) => (lower ? text.toLowerCase() : text);
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(odd, "mixed, up/_images", "a/b", "a%2Fb", `${odd}/1, a.jpg/canvas/1`),
        fc.infiniteStream(fc.constantFrom("plain", "upper", "lower")),
        async (id, ways) => {
          const must = /[%?#\\s]|[^\\x20-\\x7e]/;
          let spelled = "";
          for (const character of id) {
            const way = ways.next().value;
            if (way === "plain" && !must.test(character) && character !== " ") spelled += character;
            else
              for (const byte of new TextEncoder().encode(character))
                spelled += `%${nibble(byte.toString(16).toUpperCase().padStart(2, "0"), way === "lower")}`;
          }
          expect(identifierOf(spelled)).toBe(id);
          const { asked, response } = await follow(`${root}/${spelled}`, app);
          expect(response.status).toBe(200);
          expect(((await response.json()) as Json).id).toBe(base + own(id));
          expect(asked.at(-1)).toBe(own(id));
          expect(asked.length).toBeLessThanOrEqual(2);
        },
      ),
      { numRuns: 60 },
    );
  });

  test("of nothing redirects too, and its id is not found", async () => {
    const { response, asked } = await follow(`${root}/none,/`, app);
    expect([response.status, asked.at(-1)]).toEqual([404, `${root}/none%2C`]);
  });

  test.each([`${root}/a%zz`, `${root}/a/%2e%2e/b`, `${root}/a%5Cb`])(
    "is refused as before: %s",
    async (path) => {
      const response = await app.get(path);
      expect([400, 404]).toContain(response.status);
    },
  );

  test("is served in the end if a proxy decodes all ids, so that no client goes round in circles", async () => {
    const own = await served(laid.yaml());
    // As nginx does with a path in proxy_pass.
    const decoding = {
      ...own,
      get: (target: string) =>
        own.get(target.replaceAll("%2C", ",").replaceAll("%3B", ";").replaceAll("%40", "@")),
    };
    const { response } = await follow(`${root}/mixed%2C%20up`, decoding);
    expect(response.status).toBe(200);
    expect(((await response.json()) as Json).id).toBe(`${base}${root}/mixed%2C%20up`);
  });
});

describe("a public URL with a path", () => {
  test("is part of where a redirect leads", async () => {
    const below = await served(`base_url: https://example.org/images\n${laid.yaml()}`);
    const response = await below.get(`${root}/a%2Fb/`);
    expect(response.headers.get("Location")).toBe(`https://example.org/images${root}/a/b`);
  });
});
