// The table of contents: docs/contents.yaml names the pages in order, and their first heading is their title.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";

/**
 * Returns the parts of the documentation below `docs`, in order: each has a title and pages, and a page a
 * path without extension (`start/install`) and a title.
 */
export function readContents(docs) {
  const parts = parse(readFileSync(join(docs, "contents.yaml"), "utf8"));
  return Object.entries(parts).map(([title, paths]) => ({
    title,
    pages: paths.map((path) => ({
      path,
      title: titleOf(readFileSync(join(docs, `${path}.md`), "utf8"), path),
    })),
  }));
}

/**
 * Returns the parts that a reader of the page `path` meets: those of users, and on the pages of contributors
 * theirs too.
 */
export const partsFor = (contents, path) =>
  isForContributors(path)
    ? contents
    : contents.filter(({ pages }) => !pages.every((page) => isForContributors(page.path)));

/** True if a page is for those who change smalti rather than for those who use it. */
export const isForContributors = (path) => path.startsWith("contributing/");

/**
 * Returns the pages that have moved, from docs/moved.yaml: the old path of each, the path to go to, and an
 * anchor there with its `#`, or "".
 */
export function readMoved(docs) {
  const moved = parse(readFileSync(join(docs, "moved.yaml"), "utf8"));
  return Object.entries(moved).map(([from, target]) => {
    const [, to, anchor] = /^([^#]*)(.*)$/.exec(target);
    return { from, to, anchor };
  });
}

/**
 * Returns the words that readers type for sections, from docs/search.yaml, by the address of the section on
 * the site.
 */
export function readSearchWords(docs) {
  const words = parse(readFileSync(join(docs, "search.yaml"), "utf8"));
  return new Map(Object.entries(words).map(([path, text]) => [path.replace(/(?=#|$)/, ".html"), text]));
}

/** Returns the first heading of a page, without marks of code. Throws if there is none. */
export function titleOf(markdown, path) {
  const title = /^# (.+)$/m.exec(markdown)?.[1];
  if (!title) throw new Error(`docs/${path}.md has no title: begin it with "# Title".`);
  return title.replaceAll("`", "");
}
