// What a reader finds in the text of pages that not everybody may see: neither words, counts nor completions
// of others, and the manifest offers no search in them.

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Served, served } from "../../../served.ts";
import { type Gated, gated, pictures } from "../access/gated.ts";
import { type Laid, layFolder } from "../presentation/folder.ts";
import { type Json, json } from "../presentation/walk.ts";
import { alto } from "./pages.ts";

type Init = Parameters<Served["get"]>[1];

const versions = ["2/presentation/3", "1/presentation/3", "1/presentation/2"];

/** Everything that the services of a manifest say about a word and its beginning. */
async function replies(app: Served, id: string, word: string, init?: Init) {
  const paths = versions.flatMap((version) => [
    `/iiif/search/${version}/${id}?q=${word}`,
    `/iiif/search/${version}/${id}?q=${word.slice(0, 4)}*`,
    `/iiif/autocomplete/${version}/${id}?q=${word.slice(0, 4)}`,
  ]);
  return Promise.all(
    paths.map(async (path) => {
      const response = await app.get(path, init);
      return { path, status: response.status, text: await response.text(), headers: response.headers };
    }),
  );
}

/** Number of the canvases on which a word is found. */
async function canvases(app: Served, id: string, word: string, init?: Init): Promise<readonly number[]> {
  const { items } = await json(app, `/iiif/search/2/presentation/3/${id}?q=${word}`, init);
  return items.map(({ target }: Json) => Number(/\/canvas\/(\d+)/.exec(target)?.[1]));
}

const complete = async (app: Served, id: string, start: string, init?: Init) =>
  (await json(app, `/iiif/autocomplete/2/presentation/3/${id}?q=${start}`, init)).items;

describe("pages of images under rules", () => {
  let site: Gated;
  beforeAll(async () => {
    const folder = await pictures();
    writeFileSync(join(folder, "private/a.xml"), alto("Geheimnis gemeinsam"));
    writeFileSync(join(folder, "terms.xml"), alto("Vertraulich gemeinsam"));
    writeFileSync(join(folder, "public.xml"), alto("Offen gemeinsam"));
    site = await gated({ folder });
  });
  afterAll(() => site.close());

  test("are found by readers of the whole image alone, also after those have searched", async () => {
    const Cookie = await site.cookie("staff");
    for (const id of ["private", "private/a.png"]) {
      for (const { path, status, headers } of await replies(site.app, id, "Geheimnis", {
        headers: { Cookie },
      })) {
        expect([path, status]).toEqual([path, 200]);
        expect(headers.get("Cache-Control")).toContain("private");
      }
      expect(await canvases(site.app, id, "geheimnis", { headers: { Cookie } })).toHaveLength(1);
      const denied = await replies(site.app, id, "Geheimnis");
      const none = await replies(site.app, id, "Gibtesnicht");
      expect(denied.map(({ status, text }) => [status, text])).toEqual(
        none.map(({ status, text }) => [status, text]),
      );
      for (const { status, text } of denied) {
        expect(status).toBe(404);
        expect(text).not.toMatch(/geheimnis/i);
      }
    }
  });

  test("are neither found, counted nor completed for others next to public pages", async () => {
    const granted = { headers: { Cookie: await site.cookie("terms") } };
    expect(await canvases(site.app, "_images", "gemeinsam", granted)).toHaveLength(2);
    expect(await canvases(site.app, "_images", "gemeinsam")).toHaveLength(1);
    expect(await canvases(site.app, "_images", "vertraulich", granted)).toHaveLength(1);
    expect(await canvases(site.app, "_images", "vertraulich")).toEqual([]);
    expect(await complete(site.app, "_images", "gem", granted)).toEqual([{ value: "gemeinsam", total: 2 }]);
    expect(await complete(site.app, "_images", "gem")).toEqual([{ value: "gemeinsam", total: 1 }]);
    expect(await complete(site.app, "_images", "vert")).toEqual([]);
    for (const { path, text, headers } of await replies(site.app, "_images", "Vertraulich")) {
      const withoutQuery = text.replaceAll(/Vertraulich|Vert/g, "");
      expect([path, withoutQuery]).not.toEqual([path, expect.stringMatching(/raulich/i)]);
      expect(headers.get("Cache-Control")).toContain("private");
    }
  });

  test("have search services in their manifest for readers alone", async () => {
    const Cookie = await site.cookie("staff");
    for (const version of [2, 3])
      for (const id of ["private", "private/a.png"]) {
        const path = `/iiif/presentation/${version}/${id}`;
        expect(JSON.stringify(await json(site.app, path, { headers: { Cookie } }))).toContain(
          "/iiif/search/",
        );
        expect(JSON.stringify(await json(site.app, path))).not.toContain("/iiif/search/");
      }
  });

  test("of a profile that keeps documents are refused with the way to log in", async () => {
    const auth = `
  profiles:
    staff: { pattern: clickthrough, documents: gated, access_service: { backend: builtin } }
  rules: [{ match: private/*, profile: staff }]
`;
    const folder = await pictures();
    writeFileSync(join(folder, "private/a.xml"), alto("Geheimnis"));
    const strict = await gated({ folder, auth });
    for (const { status, text, headers } of await replies(strict.app, "private/a.png", "Geheimnis")) {
      expect([status, JSON.parse(text).code]).toEqual([401, "access_denied"]);
      expect(headers.get("WWW-Authenticate")).toContain("Bearer");
    }
    await strict.close();
  });
});

test("a document that a hook denies is refused with the status of the hook", async () => {
  const folder = await pictures();
  writeFileSync(join(folder, "private/a.xml"), alto("Geheimnis"));
  const hook = join(folder, "hook.mjs");
  writeFileSync(hook, "export const authorize = () => ({ allow: false, status: 451, reason: 'Not here.' });");
  const auth = `
  profiles:
    staff: { pattern: clickthrough, documents: gated, access_service: { backend: builtin } }
  rules: [{ match: private/*, profile: staff }]
`;
  const more = `hook: { engine: js, js: { file: ${JSON.stringify(hook)} } }`;
  const site = await gated({ folder, auth, more });
  const refused = await site.app.get("/iiif/search/2/presentation/3/private/a.png?q=geheimnis");
  const document = await site.app.get("/iiif/presentation/3/private/a.png");
  expect([refused.status, document.status]).toEqual([451, 451]);
  expect(await refused.json()).toMatchObject({ code: "access_denied", detail: "Not here." });
  await site.close();
});

describe("pages of images that a hook decides on", () => {
  let laid: Laid;
  let app: Served;
  beforeAll(async () => {
    laid = await layFolder();
    for (const page of [1, 2, 3]) {
      await laid.put(`book/${page}.jpg`, "jpg-gray.jpg");
      await laid.write(`book/${page}.xml`, alto(`Seite${page} gemeinsam`));
    }
    const hook = join(laid.root, "hook.mjs");
    writeFileSync(
      hook,
      `export const authorize = ({ identifier, headers }) => {
  const page = /(\\d)\\.jpg$/.exec(identifier)?.[1] ?? "";
  if ((headers["x-pages"] ?? "").includes(page)) return { allow: true };
  return { allow: false, status: page === "3" ? 404 : 401 };
};`,
    );
    app = await served(
      `${laid.yaml()}hook: { engine: js, headers: [x-pages], js: { file: ${JSON.stringify(hook)} } }\n`,
    );
  });
  afterAll(() => laid.drop());
  const reader = (pages: string) => ({ headers: { "X-Pages": pages } });

  test("are found, counted and completed for those whom it lets in, after searches of others", async () => {
    for (const pages of ["123", "1", "12", "23", "123"]) {
      const own = [...pages].map(Number);
      expect(await canvases(app, "book", "gemeinsam", reader(pages))).toHaveLength(own.length);
      expect(await complete(app, "book", "gem", reader(pages))).toEqual([
        { value: "gemeinsam", total: own.length },
      ]);
      for (const page of [1, 2, 3]) {
        const expected = own.includes(page) ? [page] : [];
        expect(await canvases(app, "book", `seite${page}`, reader(pages))).toEqual(expected);
        expect(await complete(app, "book", `seite${page}`, reader(pages))).toHaveLength(expected.length);
      }
    }
    const none = await app.get("/iiif/search/2/presentation/3/book?q=gemeinsam", reader("0"));
    expect([none.status, (await none.json()).code]).toEqual([404, "no_text"]);
  });
});

describe("canvases that a hook takes out of a manifest", () => {
  test("are not found, and those that it leaves are", async () => {
    const laid = await layFolder();
    for (const page of [1, 2]) {
      await laid.put(`book/${page}.jpg`, "jpg-gray.jpg");
      await laid.write(`book/${page}.xml`, alto(`Seite${page} gemeinsam`));
    }
    const hook = join(laid.root, "hook.mjs");
    writeFileSync(
      hook,
      "export const presentation = ({ kind }) => kind === 'manifest' ? { canvases: { '1.jpg': { hide: true } } } : undefined;",
    );
    const app = await served(`${laid.yaml()}hook: { engine: js, js: { file: ${JSON.stringify(hook)} } }\n`);
    const { items, service } = await json(app, "/iiif/presentation/3/book");
    expect(items).toHaveLength(1);
    expect(service).toHaveLength(2);
    expect(await canvases(app, "book", "gemeinsam")).toEqual([2]);
    expect(await canvases(app, "book", "seite1")).toEqual([]);
    expect(await complete(app, "book", "gem")).toEqual([{ value: "gemeinsam", total: 1 }]);
    await laid.drop();
  });

  test("are not found either if other texts of the manifest are withheld", async () => {
    const folder = await pictures();
    writeFileSync(join(folder, "public.xml"), alto("Offen gemeinsam"));
    writeFileSync(join(folder, "blue.xml"), alto("Blau gemeinsam"));
    writeFileSync(
      join(folder, "manifest.yaml"),
      "images: { canvases: { blue.png: { hide: true }, terms.png: { seeAlso: { id: https://a.example/secret, type: Dataset, format: text/plain } } } }\n",
    );
    const site = await gated({ folder });
    const manifest = await json(site.app, "/iiif/presentation/3/_images");
    expect(JSON.stringify(manifest)).not.toContain("https://a.example/secret");
    expect(JSON.stringify(manifest.service)).toContain("/iiif/search/");
    expect(await canvases(site.app, "_images", "gemeinsam")).toHaveLength(1);
    expect(await canvases(site.app, "_images", "blau")).toEqual([]);
    await site.close();
  });
});
