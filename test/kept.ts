// What other encoders and decoders make of the same input stays the same. It is kept between runs under
// node_modules/.cache/kept, which may be removed at any time. TEST_ALL=1 makes everything again.

import { createHash, randomUUID } from "node:crypto";
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { outputOf, run, versionOf } from "./programs.ts";
import { everything } from "./sampled.ts";

const day = 86_400_000;

/** KEPT_FOLDER names another folder. */
const folder =
  process.env.KEPT_FOLDER ?? fileURLToPath(new URL("../node_modules/.cache/kept", import.meta.url));

const digest = (bytes: Uint8Array) => createHash("sha256").update(bytes).digest();

/** What decides about a result; `options` without the names of temporary files. */
export interface Making {
  readonly program: string;
  readonly version: string;
  readonly options: readonly string[];
  readonly input: Uint8Array;
}

const pathOf = ({ program, version, options, input }: Making) =>
  join(
    folder,
    createHash("sha256")
      .update(JSON.stringify([program, version, options]))
      .update(input)
      .digest("hex"),
  );

/**
 * Returns the bytes that `make` makes, or those that it made under the same program, version, options and
 * input before. An entry that is not as it was written counts as absent. What `make` throws is thrown on, and
 * nothing is kept.
 */
export function kept(making: Making, make: () => Uint8Array): Uint8Array {
  if (everything) return make();
  const path = pathOf(making);
  const found = read(path);
  if (found) return found;
  const made = make();
  write(path, made);
  return made;
}

/** Returns the bytes of an entry, which is their digest and the bytes; undefined if there is none. */
function read(path: string): Uint8Array | undefined {
  try {
    const entry = readFileSync(path);
    const bytes = new Uint8Array(entry.subarray(32));
    if (!digest(bytes).equals(entry.subarray(0, 32))) return undefined;
    if (Date.now() - statSync(path).mtimeMs > day) utimesSync(path, new Date(), new Date());
    return bytes;
  } catch {
    return undefined;
  }
}

let swept = false;

/** Writes an entry whole. The first one of a process also removes all that were not used for 30 days. */
function write(path: string, bytes: Uint8Array): void {
  mkdirSync(folder, { recursive: true });
  if (!swept) sweep();
  swept = true;
  const part = `${path}.${randomUUID()}`;
  writeFileSync(part, Buffer.concat([digest(bytes), bytes]));
  renameSync(part, path);
}

function sweep(): void {
  for (const name of readdirSync(folder)) {
    const path = join(folder, name);
    const used = statSync(path, { throwIfNoEntry: false })?.mtimeMs;
    if (used !== undefined && Date.now() - used > 30 * day) rmSync(path, { force: true });
  }
}

type Files = Readonly<Record<string, Uint8Array | string>>;

/** Returns what `work` returns of a temporary folder with these files. */
function inFolder<T>(files: Files, work: (folder: string) => T): T {
  const place = mkdtempSync(join(tmpdir(), "smalti-kept-"));
  try {
    for (const [name, content] of Object.entries(files)) writeFileSync(join(place, name), content);
    return work(place);
  } finally {
    rmSync(place, { recursive: true });
  }
}

/**
 * Returns the file `to` that a program writes in a folder in which `from` has the bytes of `input`; `args`
 * contain both names as they are. Throws if the program fails.
 */
export function converted(
  program: string,
  args: readonly string[],
  { input, from, to }: { readonly input: Uint8Array; readonly from: string; readonly to: string },
): Uint8Array {
  return kept({ program, version: versionOf(program) ?? "", options: args, input }, () =>
    inFolder({ [from]: input }, (cwd) => {
      outputOf(program, args, { cwd });
      return new Uint8Array(readFileSync(join(cwd, to)));
    }),
  );
}

/**
 * Returns the standard output that a program makes of `input`; undefined if it ends with a status that is not
 * in `statuses`. It runs in a folder with `files`, which `args` name.
 */
export function filtered(
  program: string,
  args: readonly string[],
  input: Uint8Array,
  { statuses = [0], files = {} }: { readonly statuses?: readonly number[]; readonly files?: Files } = {},
): Uint8Array | undefined {
  const version = versionOf(program) ?? "";
  const options = [...args, ...Object.entries(files).flatMap(([name, content]) => [name, `${content}`])];
  try {
    return kept({ program, version, options, input }, () => {
      const { status, stdout } = inFolder(files, (cwd) => run(program, args, { input, cwd }));
      if (!statuses.includes(status)) throw new OtherStatus();
      return stdout;
    });
  } catch (error) {
    if (error instanceof OtherStatus) return undefined;
    throw error;
  }
}

class OtherStatus extends Error {}
