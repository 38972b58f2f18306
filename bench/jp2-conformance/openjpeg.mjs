// OpenJPEG's program as the reference: the components of a file at a reduction, as they are before any
// conversion of colour.

import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isBoxed, withoutColour } from "./codestream.mjs";

/** KiB of address space for the program: some of the public files ask for far more than they hold. */
const mostMemory = 6_000_000;

const place = mkdtempSync(join(tmpdir(), "jp2-conformance-"));
process.on("exit", () => rmSync(place, { recursive: true, force: true }));

/**
 * Returns the components of a file at 1/2^level, with palette and channel definitions applied: `width`,
 * `height`, `bits`, `signed`, `samples` of each; undefined if the program refuses the file. `header` is the
 * result of `mainHeader`.
 */
export function reference(file, header, level, seconds) {
  const source = join(place, isBoxed(file) ? "in.jp2" : "in.j2k");
  writeFileSync(source, isBoxed(file) ? withoutColour(file) : file);
  const { components } = header;
  // It takes three components for sYCC, and converts them, if the second has fewer samples: then one at a
  // time, which leaves out a component transform, but there is none between components of other sizes.
  const alone = components.length === 3 && components[1].dx !== components[0].dx;
  const wanted = alone ? components.map((_, i) => ["-c", String(i)]) : [[]];
  const found = wanted.map((choice) => decode(source, level, choice, seconds));
  return found.includes(undefined) ? undefined : found.flat();
}

function decode(source, level, choice, seconds) {
  const target = join(place, "out.pgx");
  const args = ["-i", source, "-o", target, "-r", String(level), ...choice];
  const { status } = spawnSync(
    "sh",
    ["-c", `ulimit -v ${mostMemory}; ulimit -t ${seconds}; exec opj_decompress "$@"`, "sh", ...args],
    { stdio: "ignore", timeout: seconds * 1000, killSignal: "SIGKILL" },
  );
  const found = [];
  for (;;) {
    const file = join(place, `out_${found.length}.pgx`);
    if (!existsSync(file)) break;
    if (status === 0) found.push(readPgx(readFileSync(file)));
    rmSync(file);
  }
  return found.length > 0 ? found : undefined;
}

/** PGX as OpenJPEG writes it: a line of text, then samples of 1, 2 or 4 bytes, the high byte first. */
function readPgx(file) {
  const end = file.indexOf(10) + 1;
  const [, sign, bits, width, height] = /^PG ML ([+-]) (\d+) (\d+) (\d+)\n/.exec(
    file.toString("latin1", 0, end),
  );
  const size = Number(bits) <= 8 ? 1 : Number(bits) <= 16 ? 2 : 4;
  const view = new DataView(file.buffer, file.byteOffset + end);
  const signed = sign === "-";
  const read = `get${signed ? "Int" : "Uint"}${8 * size}`;
  const samples = Int32Array.from({ length: width * height }, (_, i) => view[read](i * size));
  return { width: Number(width), height: Number(height), bits: Number(bits), signed, samples };
}
