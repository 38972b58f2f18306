// Prints how many words each page of docs/ has, without code: those of prose, and those of prose and tables.
//
//   npm run docs:words

import { fileURLToPath } from "node:url";
import { pageLengths, sumOf } from "./site/prose.mjs";

const pages = pageLengths(fileURLToPath(new URL("../docs/", import.meta.url)));
const print = (prose, withTables, name) =>
  console.log(`${String(prose).padStart(7)} ${String(withTables).padStart(7)}  ${name}`);
const printSum = (chosen, name) =>
  print(
    sumOf(chosen, ({ prose }) => prose),
    sumOf(chosen, ({ withTables }) => withTables),
    name,
  );

console.log("  prose  tables too");
for (const { path, prose, withTables } of pages) print(prose, withTables, path);
printSum(
  pages.filter(({ isForUsers }) => isForUsers),
  "what users meet: all pages but those of contributing/",
);
printSum(
  pages.filter(({ isGenerated }) => !isGenerated),
  "what people write: all pages but the generated ones",
);
printSum(pages, "in all");
