// The script of the page that searches an export, in browsers: `search/index.html`. `?q=` has the query,
// `page=` the number of a page to show. Texts of pages are foreign: nothing of them becomes markup.

import { clausesOf, type FoundLine, linesWith, OpenSite } from "./text/index.ts";

/** Pages that are looked at together, and results that are shown before a reader asks for more. */
const atOnce = 8;
const shownAtFirst = 20;

const site = new OpenSite(async (name) => readJson(name));

async function readJson(address: string): Promise<unknown> {
  const response = await fetch(address);
  if (!response.ok) throw new Error(`${address}: ${response.status}`);
  return response.json();
}

const byId = <T extends HTMLElement>(id: string): T => document.getElementById(id) as T;

function element<K extends keyof HTMLElementTagNameMap>(
  name: K,
  members: Partial<HTMLElementTagNameMap[K]> = {},
  children: readonly (Node | string)[] = [],
): HTMLElementTagNameMap[K] {
  const made = Object.assign(document.createElement(name), members);
  made.append(...children);
  return made;
}

interface Line {
  readonly text: string;
  /** Left, top, width and height on the canvas. */
  readonly box?: readonly number[];
}

/** Returns the lines of an annotation page. */
async function linesOf(address: string): Promise<readonly Line[]> {
  const { items = [] } = (await readJson(address)) as {
    items?: readonly { body: { value: string }; target: string }[];
  };
  return items.map(({ body, target }) => {
    const [, numbers] = /#xywh=([\d.,]+)$/.exec(String(target)) ?? [];
    return { text: body.value, ...(numbers !== undefined && { box: numbers.split(",").map(Number) }) };
  });
}

const lineText = ({ words }: FoundLine) => {
  const parts = words.flatMap(({ text, isFound }, at) => [
    ...(at > 0 ? [" "] : []),
    isFound ? element("mark", {}, [text]) : text,
  ]);
  return element("p", { className: "line" }, parts);
};

/** Returns the address of this page with a query, and perhaps a page. */
const ownAddress = (query: string, page?: number) =>
  `?${new URLSearchParams({ q: query, ...(page !== undefined && { page: String(page) }) })}`;

/** Returns the entry of a page with what was found; undefined if a phrase is not on it. */
async function resultOf(number: number, query: string): Promise<HTMLElement | undefined> {
  const [document, label, lines, , thumbnail] = await site.page(number);
  const found = linesWith(
    (await linesOf(lines)).map(({ text }) => text),
    clausesOf(query),
  );
  if (found.length === 0) return undefined;
  const [title = ""] = (await site.head()).documents[document] ?? [];
  const picture =
    thumbnail === ""
      ? []
      : [element("img", { className: "thumbnail", src: thumbnail, alt: "", loading: "lazy" })];
  const link = element("a", { href: ownAddress(query, number) }, [`${title}, ${label}`]);
  return element("li", {}, [
    ...picture,
    element("div", {}, [element("h2", {}, [link]), ...found.slice(0, 5).map(lineText)]),
  ]);
}

/** Shows a page with its image and what was found on it. */
async function showPage(number: number, query: string): Promise<void> {
  const [document, label, address, image] = await site.page(number);
  const [title = "", manifest = ""] = (await site.head()).documents[document] ?? [];
  const lines = await linesOf(address);
  const clauses = clausesOf(query);
  const found = linesWith(
    lines.map(({ text }) => text),
    clauses,
  );
  const { canvasWidth, canvasHeight } = await canvasSize(manifest, address);
  const picture = element("div", { className: "picture" });
  const shown = element("img", { src: image, alt: label });
  // Boxes are in pixels of the canvas, which has the size of the largest image or a multiple of it.
  shown.addEventListener("load", () => {
    for (const { line } of found) {
      const [x = 0, y = 0, width = 0, height = 0] = lines[line]?.box ?? [];
      if (width === 0) continue;
      const box = element("div", { className: "box" });
      const part = (value: number, whole: number) => `${(100 * value) / whole}%`;
      box.style.left = part(x, canvasWidth);
      box.style.top = part(y, canvasHeight);
      box.style.width = part(width, canvasWidth);
      box.style.height = part(height, canvasHeight);
      picture.append(box);
    }
  });
  picture.append(shown);
  const back = element("a", { href: ownAddress(query) }, ["Back to the results"]);
  const links = element("p", {}, [element("a", { href: manifest }, ["Manifest"])]);
  byId("page").replaceChildren(
    element("h1", {}, [`${title}, ${label}`]),
    element("p", {}, [back]),
    ...found.map(lineText),
    picture,
    links,
  );
  byId("page").hidden = false;
}

/** Returns the size of the canvas that has some lines. */
async function canvasSize(manifest: string, lines: string) {
  interface Canvas {
    readonly width: number;
    readonly height: number;
    readonly annotations?: readonly { readonly id: string }[];
  }
  const { items = [] } = (await readJson(manifest)) as { items?: readonly Canvas[] };
  const end = lines.replace(/^\.\./, "");
  const canvas = items.find(({ annotations = [] }) => annotations.some(({ id }) => id.endsWith(end)));
  return { canvasWidth: canvas?.width ?? 1, canvasHeight: canvas?.height ?? 1 };
}

/** Shows the pages with a query, some at a time. */
async function showResults(query: string): Promise<void> {
  const clauses = clausesOf(query);
  if (clauses.length === 0) return;
  byId("state").textContent = "Searching …";
  const pages = [...(await site.find(clauses))];
  const results = byId("results");
  let shown = 0;
  const showMore = async () => {
    for (const end = shown + shownAtFirst; shown < end && pages.length > 0; ) {
      const some = await Promise.all(pages.splice(0, atOnce).map((page) => resultOf(page, query)));
      const found = some.filter((one) => one !== undefined);
      results.append(...found);
      shown += found.length;
    }
    byId("more").hidden = pages.length === 0;
    byId("state").textContent =
      shown === 0
        ? "Nothing was found."
        : pages.length > 0
          ? `The first ${shown} pages.`
          : `${shown} ${shown === 1 ? "page" : "pages"}.`;
  };
  byId("more").onclick = () => void showMore();
  await showMore();
}

const parameters = new URLSearchParams(location.search);
const query = parameters.get("q") ?? "";
byId<HTMLInputElement>("query").value = query;
const page = /^\d{1,6}$/.exec(parameters.get("page") ?? "")?.[0];
(page === undefined ? showResults(query) : showPage(Number(page), query)).catch((error: unknown) => {
  byId("state").textContent = `The search cannot be read. ${error instanceof Error ? error.message : ""}`;
});
