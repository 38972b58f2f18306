// Child of jp2-conformance.mjs: compares one file as decoded by the codec and by OpenJPEG.
//
// Takes messages { path, seed, windows, seconds }, sends { progress } after each comparison, { result } at
// the end. OpenJPEG has a quarter of the seconds for each of its decodes.

import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { codecHost } from "../lib/codec-host.mjs";
import { isPremultiplied, mainHeader } from "./codestream.mjs";
import { reference } from "./openjpeg.mjs";
import { distance, randomWindows } from "./samples.mjs";

const { createCodecs, scaleFactorsOf, memoryBytes, ServiceError } = await import(
  pathToFileURL(process.argv[2])
);
const codec = createCodecs(await codecHost()).decoder("jp2");

process.on("message", (task) => {
  compareFile({ ...task, seconds: task.seconds / 4 }).then(
    (result) => process.send({ result }),
    (error) => process.send({ result: { verdict: "failed", detail: error.stack ?? String(error) } }),
  );
});
process.send({ ready: true });

async function compareFile({ path, seed, windows, seconds }) {
  const file = readFileSync(path);
  const bytes = memoryBytes(new Uint8Array(file));
  const header = await attempt(() => codec.probe(bytes, 1));
  const facts = header.error ? undefined : mainHeader(file);
  const kind = facts ? kindOf(header, facts) : "";
  const refused = header.error ?? (header.unsupported && new ServiceError("unsupported", header.unsupported));
  if (refused) return refusal(refused, readsElsewhere(file, seconds), kind);
  const found = { kind, compared: 0, most: 0, limit: facts.reversible ? 0 : 1, at: "" };
  for (const factor of scaleFactorsOf(codec, header)) {
    const planes = reference(file, facts, Math.log2(factor), seconds);
    const regions = [wholeOf(header), ...randomWindows(header, factor, windows, seed)];
    const end = planes
      ? (unlike(file, header, planes) ??
        (await compareRegions({ bytes, header, facts, planes }, factor, regions, found)))
      : await withoutReference(bytes, header, factor, kind);
    if (end) return { ...found, ...end };
  }
  return found;
}

/** Compares regions at one factor and adds them to `found`; ends the comparison if the codec refuses one. */
async function compareRegions({ bytes, header, facts, planes }, factor, regions, found) {
  for (const region of regions) {
    const got = await attempt(() => decode(bytes, header, region, factor));
    if (got.error) {
      if (found.compared === 0) return refusal(got.error, true, found.kind);
      return { verdict: "failed", detail: `${nameOf(region, factor)}: ${got.error.message}` };
    }
    const far = distance(got, { planes, facts, depth: header.depth }, region, factor);
    if (far > found.most) Object.assign(found, { most: far, at: nameOf(region, factor) });
    found.compared++;
    process.send({ progress: found });
  }
  return undefined;
}

/**
 * Ends a comparison because OpenJPEG refuses the file, or this reduction of it, which its levels may not
 * allow in all tiles.
 */
async function withoutReference(bytes, header, factor, kind) {
  const { error } = await attempt(() => decode(bytes, header, wholeOf(header), factor));
  if (factor > 1) return { detail: `OpenJPEG refuses 1/${factor}${error ? " too" : ""}` };
  return error ? refusal(error, false, kind) : { verdict: "not compared", detail: "OpenJPEG refuses it" };
}

/** Returns why the samples of both cannot be compared; undefined if they can. */
function unlike(file, header, planes) {
  if (isPremultiplied(file)) return { verdict: "not compared", detail: "its colours are premultiplied" };
  if (planes.length === header.bands) return undefined;
  return { verdict: "not compared", detail: `${planes.length} components for ${header.bands} bands` };
}

const wholeOf = ({ width, height }) => ({ x: 0, y: 0, width, height });
const nameOf = ({ x, y, width, height }, factor) => `${x},${y},${width},${height} at 1/${factor}`;

function kindOf({ variant, tile, bands }, { components, right, left, bottom, top }) {
  const depths = [...new Set(components.map(({ bits, signed }) => `${signed ? "-" : ""}${bits}`))].join("/");
  const size = `${right - left}x${bottom - top}`;
  return `${variant}, ${components.length} x ${depths} bit, ${bands} bands, ${size}${tile ? `, tiles ${tile.width}x${tile.height}` : ""}`;
}

async function attempt(work) {
  try {
    return await work();
  } catch (error) {
    return { error };
  }
}

/** True if OpenJPEG reads a file whose header the codec may not know. */
function readsElsewhere(file, seconds) {
  try {
    return reference(file, mainHeader(file), 0, seconds) !== undefined;
  } catch {
    return reference(file, { components: [] }, 0, seconds) !== undefined;
  }
}

function refusal(error, read, kind = "") {
  if (!(error instanceof ServiceError))
    return { kind, verdict: "failed", detail: error.stack ?? String(error) };
  const verdict = !read ? "both refuse" : error.kind === "unsupported" ? "refused" : "called damaged";
  return { kind, verdict, detail: error.message };
}

let sidecar = { of: undefined };

/** Uses the sidecar of the file for every other read, if the codec has one. */
async function decode(bytes, header, region, scaleFactor) {
  const read = { header, page: 1, region, scaleFactor };
  if (codec.sidecar && sidecar.of !== bytes) {
    const entry = await codec.sidecar.build(bytes, { header, page: 1 });
    sidecar = { of: bytes, reads: 0, access: { id: String(Math.random()), load: async () => entry }, entry };
  }
  const access = sidecar.entry?.length > 0 && sidecar.reads++ % 2 === 1 ? sidecar.access : undefined;
  const decoded = await codec.decode(bytes, read, access);
  const { width, height } = decoded;
  if (width !== Math.ceil(region.width / scaleFactor) || height !== Math.ceil(region.height / scaleFactor))
    throw new Error(`expected a picture of ${nameOf(region, scaleFactor)}, received ${width}x${height}`);
  return decoded;
}
