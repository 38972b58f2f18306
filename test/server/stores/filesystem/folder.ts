// A folder for a test, and its contents, read without our own code.

import { existsSync } from "node:fs";
import { mkdtemp, readdir, readFile, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

export interface Folder {
  readonly path: string;
  remove(): Promise<void>;
}

/** Linux has an in-memory folder, where writes wait for no disk. */
const inMemory = "/dev/shm";
const parent = existsSync(inMemory) ? inMemory : tmpdir();

/** A new, empty folder. */
export async function temporaryFolder(): Promise<Folder> {
  const path = await mkdtemp(join(parent, "smalti-test-"));
  return { path, remove: () => rm(path, { recursive: true, force: true }) };
}

/** All files below a folder, as absolute paths; none when it is not there. */
export async function filesBelow(path: string): Promise<string[]> {
  const entries = await readdir(path, { withFileTypes: true }).catch((error) => {
    if (error.code === "ENOENT") return [];
    throw error;
  });
  const nested = entries.map((entry) =>
    entry.isDirectory() ? filesBelow(join(path, entry.name)) : [join(path, entry.name)],
  );
  return (await Promise.all(nested)).flat().sort();
}

/** Sum of the lengths of all files below a folder; files that vanish meanwhile count nothing. */
export async function bytesBelow(path: string): Promise<number> {
  const files = await filesBelow(path);
  const sizes = await Promise.all(
    files.map((file) =>
      stat(file).then(
        (facts) => facts.size,
        () => 0,
      ),
    ),
  );
  return sizes.reduce((sum, size) => sum + size, 0);
}

/** The only file below a folder that holds a text. */
export async function fileHolding(path: string, text: string): Promise<string> {
  const files = await filesBelow(path);
  const held = await Promise.all(files.map(async (file) => (await readFile(file, "latin1")).includes(text)));
  const [found, ...more] = files.filter((_, i) => held[i]);
  if (!found || more.length > 0)
    throw new Error(`expected one file that holds the text, found ${more.length + (found ? 1 : 0)}`);
  return found;
}
