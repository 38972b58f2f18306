// Compares the pixels of the servers' responses with a full decode resized or rotated in double precision,
// and their bytes.
//
//   npm run build && node bench/sources.mjs && node bench/quality.mjs [options]; see bench/README.md

import { writeFileSync } from "node:fs";
import { table } from "./lib/numbers.mjs";
import { chosenPictures, machine, pictureSize, readOptions } from "./lib/options.mjs";
import { compareQuality } from "./lib/quality.mjs";
import { reads } from "./lib/servers.mjs";

const options = readOptions({ format: "jpg" }, "smalti,sharp");
const result = { machine: machine(), quality: [] };
console.log(result.machine);
for (const picture of chosenPictures(options)) {
  const names = options.servers.filter((name) => reads(name, picture));
  const rows = await compareQuality(names, picture, await pictureSize(options, picture), options);
  result.quality.push(...rows);
  if (options.out) writeFileSync(options.out, JSON.stringify(result, null, 1));
  const beside = (row) => rows.find((each) => each.server === "sharp" && each.case === row.case);
  const lines = rows.map((row) => [
    row.server,
    row.case,
    String(row.answers),
    row.psnr?.toFixed(2) ?? "-",
    signed(row.psnr - beside(row)?.psnr),
    row.ssim?.toFixed(4) ?? "-",
    row.kilobytes,
    Object.keys(row.faults).join("; ") || "none",
  ]);
  console.log(`\n${picture}`);
  console.log(table(["server", "case", "n", "PSNR dB", "to sharp", "SSIM", "KB", "faults"], lines));
}

function signed(value) {
  return Number.isFinite(value) ? `${value < 0 ? "" : "+"}${value.toFixed(2)}` : "-";
}
