// The houses of src/ and their sizes, for the page on the architecture.

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** In their order: each uses those before it. */
const houses = {
  base: "small tools, errors and types that all share",
  imaging:
    "bytes to pixels and back, with `wasm/`; also the library `smalti/imaging`. No clock, no runtime, no HTTP",
  iiif: "the specifications as pure functions",
  text: "the text of pages: OCR files, records, the index of words",
  server: "sources, stores, hooks, access, images, manifests, HTTP, configuration, figures, runtimes",
  doctor: "finds out what is wrong with an image, a login or a collection",
  admin: "the operator's pages",
  cli: "the command line, work on whole collections, the import from Cantaloupe",
};

const isCode = (name) => /\.tsx?$/.test(name) && !name.endsWith(".d.ts");

function codeOf(root, house) {
  const folder = join(root, "src", house);
  const files = readdirSync(folder, { recursive: true }).filter(isCode);
  const lines = files.reduce(
    (sum, name) => sum + readFileSync(join(folder, name), "utf8").split("\n").length - 1,
    0,
  );
  return { files: files.length, lines };
}

/** Returns how many names the door of a house has; 0 without a door. */
function namesOf(root, house) {
  try {
    const text = readFileSync(join(root, "src", house, "index.ts"), "utf8");
    return [...text.matchAll(/export (?:type )?\{([^}]*)\}/g)].reduce(
      (sum, [, names]) => sum + names.split(",").filter((name) => name.trim()).length,
      0,
    );
  } catch {
    return 0;
  }
}

/** Returns the page with the table of the houses in it. */
export function withHouses(root, page) {
  const rows = Object.entries(houses).map(([house, subject]) => {
    const { files, lines } = codeOf(root, house);
    return `| [\`${house}/\`](../../src/${house}/README.md) | ${subject} | ${lines} | ${files} | ${namesOf(root, house)} |`;
  });
  const table = [
    "| House | What it is for | Lines | Files | Names in its door |",
    "|---|---|---|---|---|",
    ...rows,
  ];
  return page.replace(
    /(<!-- houses -->\n)[\s\S]*?(<!-- \/houses -->)/,
    (_, begin, end) => `${begin}${table.join("\n")}\n${end}`,
  );
}
