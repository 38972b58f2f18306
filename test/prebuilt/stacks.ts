// Before each file of a suite: stacks name the lines of src/ instead of those of the bundle.

import { readFileSync } from "node:fs";
import { SourceMap } from "node:module";
import { dirname, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const bundled = /\/prebuilt-tests\/[^/]+\.mjs$/;
const maps = new Map<string, SourceMap>();

const mapOf = (file: string) => {
  let map = maps.get(file);
  if (!map) maps.set(file, (map = new SourceMap(JSON.parse(readFileSync(`${file}.map`, "utf8")))));
  return map;
};

/** A frame of the bundle as one of the source, and every other frame as it is. */
function original(frame: NodeJS.CallSite): NodeJS.CallSite {
  const name = frame.getFileName();
  if (!name || !bundled.test(name)) return frame;
  const file = name.startsWith("file:") ? fileURLToPath(name) : name;
  const found = mapOf(file).findEntry((frame.getLineNumber() ?? 1) - 1, (frame.getColumnNumber() ?? 1) - 1);
  if (!("originalSource" in found)) return frame;
  const source = resolve(dirname(file), found.originalSource);
  const line = found.originalLine + 1;
  const column = found.originalColumn + 1;
  const place = `${source}:${line}:${column}`;
  const caller = frame.getFunctionName();
  const changed: Record<string, () => unknown> = {
    getFileName: () => source,
    getScriptNameOrSourceURL: () => source,
    getLineNumber: () => line,
    getColumnNumber: () => column,
    toString: () => (caller ? `${caller} (${place})` : place),
  };
  return new Proxy(frame, {
    get(target, key) {
      const value = changed[key as string] ?? Reflect.get(target, key);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
}

// Files that share a process share the one that is set already.
const shared = globalThis as { mapsStacks?: true };
const { prepareStackTrace } = Error;
if (!shared.mapsStacks && prepareStackTrace)
  Error.prepareStackTrace = (error, frames) => prepareStackTrace(error, frames.map(original));
shared.mapsStacks = true;
