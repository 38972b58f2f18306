// Measures what a tile costs in a collection: tiles of one picture, of a hundred in turn, and of a thousand.
//
//   npm run build && node bench/sources.mjs --sizes 24 && node bench/collection.mjs
//     [--counts 1,100,1000] [--requests 1500] [--scale 1] [--program dist/main.js] [--runs 3]
//
// The pictures are links to one file, so that only their number differs. Derivatives are not cached. Prints
// the CPU time of a tile and the memory of the process, medians of the runs. Linux only.

import { parseArgs } from "node:util";
import { measureCollection } from "./lib/collection.mjs";
import { quantile, table } from "./lib/numbers.mjs";

const { values } = parseArgs({
  options: {
    counts: { type: "string", default: "1,100,1000" },
    requests: { type: "string", default: "1500" },
    runs: { type: "string", default: "3" },
    scale: { type: "string", default: "1" },
    program: { type: "string", default: "dist/main.js" },
    master: { type: "string", default: "node_modules/.cache/bench/24mp-baseline.jpg" },
  },
});
const scale = Number(values.scale);
const { master, program } = values;

const requests = Number(values.requests);
const rows = [];
for (const count of values.counts.split(",").map(Number)) {
  const runs = [];
  for (let n = 0; n < Number(values.runs); n++)
    runs.push(await measureCollection({ master, program, count, scale, requests }));
  const [ms, mb] = ["ms", "mb"].map((name) =>
    quantile(
      runs.map((run) => run[name]),
      0.5,
    ),
  );
  rows.push({ count, ms, mb });
}
console.log(
  table(
    ["pictures", `tile at 1/${scale}, CPU ms`, "of one picture", "most MB"],
    rows.map(({ count, ms, mb }) => [
      String(count),
      ms.toFixed(2),
      `${(ms / rows[0].ms).toFixed(2)}x`,
      mb.toFixed(0),
    ]),
  ),
);
