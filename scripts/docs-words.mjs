// Prints how many words of prose each page of docs/ has: without code and generated pages.
//
//   npm run docs:words

import { fileURLToPath } from "node:url";
import { proseOf } from "./site/prose.mjs";

const pages = proseOf(fileURLToPath(new URL("../docs/", import.meta.url)));
for (const { path, words } of pages) console.log(`${String(words).padStart(7)}  ${path}`);
console.log(
  `${String(pages.reduce((sum, { words }) => sum + words, 0)).padStart(7)}  in all, outside the generated pages`,
);
