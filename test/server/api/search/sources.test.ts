// The text of whole sources on the start page and in MCP: lines, pictures and links, and nothing of pages
// that a reader may not read.

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Served } from "../../../served.ts";
import { type Gated, gated } from "../access/gated.ts";
import { type Laid, layFolder } from "../presentation/folder.ts";
import type { Json } from "../presentation/walk.ts";
import { alto } from "./pages.ts";

let laid: Laid;
let site: Gated;
let app: Served;
beforeAll(async () => {
  laid = await layFolder();
  const put = async (path: string, ...lines: readonly string[]) => {
    await laid.put(`${path}.jpg`, "jpg-gray.jpg");
    await laid.write(`${path}.xml`, alto(...lines));
  };
  await put("books/one/1", "Anfang", "Wort <i> Wort");
  await put("books/one/2", "Wort allein");
  await laid.write("books/one/manifest.yaml", "label: { en: [The Book], de: [Das Buch] }\n");
  for (let page = 1; page <= 21; page++) await put(`long/${page}`, "viele");
  await put("private/a", "Geheimnis Wort");
  await laid.put("plain.jpg", "jpg-gray.jpg");
  await laid.write("plain.txt", "ohne Kasten");
  site = await gated({ folder: laid.root, more: "mcp: { enabled: true }" });
  app = site.app;
  for (const source of app.service.sources.all) await app.service.sourceTexts!.prepare(source);
});
afterAll(() => site.close());

const page = async (path: string, headers: Record<string, string> = {}) => {
  const response = await app.get(path, { headers: { "Accept-Language": "en", ...headers } });
  expect(response.status).toBe(200);
  return { html: await response.text(), headers: response.headers };
};

const status = (html: string) => /<p role="status">(.*?)<\/p>/.exec(html)?.[1];
/** The list of texts, item by item. */
const items = (html: string) =>
  [...(/<ol class="texts".*?<\/ol>/s.exec(html)?.[0] ?? "").matchAll(/<li>.*?<\/li>/gs)].map(
    ([item]) => item,
  );

describe("the start page", () => {
  test("shows each line once with its words marked, and opens the viewer there with the search", async () => {
    const { html } = await page("/?q=wort");
    expect(status(html)).toBe("Found in the text of 2 pages.");
    const [first, second, ...others] = items(html);
    expect(others).toEqual([]);
    expect(first).toContain('<p class="line" dir="auto"><mark>Wort</mark> &lt;i&gt; <mark>Wort</mark></p>');
    expect(first).toContain('href="https://images.example.org/view/books/one/canvas/1?q=wort"');
    expect(first).toContain("The Book · 1.jpg");
    expect(second).toContain('<p class="line" dir="auto"><mark>Wort</mark> allein</p>');
    const german = await page("/?q=wort", { "Accept-Language": "de" });
    expect(status(german.html)).toBe("Im Text von 2 Seiten gefunden.");
    expect(german.html).toContain("Das Buch · 1.jpg");
  });

  test("cuts a picture of the words out of the image", async () => {
    const { html } = await page("/?q=allein");
    // The box of the second word is 130, 50, 70, 20 on a canvas of 600 x 400: a picture is 1.8 times as high,
    // and 7.5 times as wide as high.
    const [, region] = /\/iiif\/3\/books%2Fone%2F2\.jpg\/([\d,]+)\/max\/0\/default\.jpg/.exec(html) ?? [];
    expect(region).toBe("30,42,270,36");
    const picture = await app.get(`/iiif/3/books%2Fone%2F2.jpg/${region}/max/0/default.jpg`);
    expect([picture.status, picture.headers.get("Content-Type")]).toEqual([200, "image/jpeg"]);
    expect((await page("/?q=kasten")).html).toContain("/iiif/3/plain.jpg/full/");
  });

  test("has further pages of texts, without the entries that the search finds by name", async () => {
    const first = await page("/?q=viele");
    expect([items(first.html).length, status(first.html)]).toEqual([20, "Found in the text of 21 pages."]);
    expect(first.html).toContain('href="/?q=viele&amp;text=21" rel="next"');
    const second = await page("/?q=viele&text=21");
    expect(items(second.html)).toHaveLength(1);
    expect(second.html).toContain("21–21 of 21");
    expect(second.html).toContain('href="/?q=viele" rel="prev"');
    const named = await page("/?q=long");
    expect(status(named.html)).toBe("1 entry found for “long”.");
    expect(items((await page("/?in=books&q=viele")).html)).toEqual([]);
  });

  test("shows nothing of a page to others than its readers, who get a page of their own", async () => {
    const none = await page("/?q=Gibtesnicht");
    for (const query of ["Geheimnis", "Gehe*", "%22Geheimnis+Wort%22"]) {
      const { html } = await page(`/?q=${query}`);
      expect(status(html)).toMatch(/^Nothing found for/);
      expect([items(html), html.length - none.html.length]).toEqual([[], expect.any(Number)]);
    }
    const Cookie = await site.cookie("staff");
    const { html, headers } = await page("/?q=Geheimnis", { Cookie });
    expect(items(html)).toHaveLength(1);
    expect(headers.get("Cache-Control")).toContain("private");
    expect(status((await page("/?q=wort", { Cookie })).html)).toBe("Found in the text of 3 pages.");
  });

  test("gives the search to the viewer, and to the link to the other one", async () => {
    const { html } = await page("/view/books/one/canvas/2?q=Wort+%26+mehr");
    const settings = JSON.parse(
      /<script type="application\/json" id="view">(.*?)<\/script>/s.exec(html)?.[1] ?? "{}",
    );
    expect(settings).toMatchObject({ search: "Wort & mehr", canvasIndex: 1 });
    expect(html).toContain("/view/books/one/canvas/2?viewer=uv&amp;q=Wort%20%26%20mehr");
    expect((await page("/view/books/one")).html).not.toContain('"search"');
  });
});

describe("the tool search_text", () => {
  const call = async (args: Json, headers: Record<string, string> = {}): Promise<Json> => {
    const body = {
      jsonrpc: "2.0",
      id: 1,
      method: "tools/call",
      params: { name: "search_text", arguments: args },
    };
    const response = await app.get("/mcp", {
      method: "POST",
      host: "images.example.org",
      headers: {
        "Content-Type": "application/json",
        Accept: "application/json, text/event-stream",
        ...headers,
      },
      body: JSON.stringify(body),
    });
    const text = await response.text();
    const { result } = JSON.parse(text.startsWith("{") ? text : (/^data: (.*)$/m.exec(text)?.[1] ?? "{}"));
    return result;
  };
  const found = async (args: Json, headers: Record<string, string> = {}) =>
    JSON.parse((await call(args, headers)).content[0].text);

  test("returns pages with lines, regions and pictures", async () => {
    const { total, pages } = await found({ query: "allein" });
    expect(total).toBe(1);
    expect(pages).toEqual([
      {
        image: "books/one/2.jpg",
        document: "The Book",
        page: "2.jpg",
        view: "https://images.example.org/view/books/one/canvas/2",
        manifest: "https://images.example.org/iiif/presentation/3/books/one",
        lines: [
          {
            text: "Wort allein",
            found: "allein",
            region: "130,50,70,20",
            picture: "https://images.example.org/iiif/3/books%2Fone%2F2.jpg/130,50,70,20/max/0/default.jpg",
          },
        ],
      },
    ]);
  });

  test("searches in a folder, and goes on with a cursor", async () => {
    expect((await found({ query: "wort", id: "long" })).total).toBe(0);
    const first = await found({ query: "viele", id: "long" });
    expect([first.pages.length, first.next_cursor]).toEqual([20, "20"]);
    const second = await found({ query: "viele", id: "long", cursor: first.next_cursor });
    expect([second.pages.length, second.next_cursor]).toEqual([1, undefined]);
    expect(await call({ query: "viele", cursor: "x" })).toMatchObject({ isError: true });
  });

  test("finds and counts what the caller may read", async () => {
    const none = await found({ query: "Gibtesnicht" });
    for (const query of ["Geheimnis", "Gehe*"])
      for (const id of ["", "private"]) expect(await found({ query, id })).toEqual(none);
    const Authorization = await site.bearer("staff");
    expect((await found({ query: "Geheimnis" }, { Authorization })).pages).toMatchObject([
      { image: "private/a.jpg" },
    ]);
  });
});
