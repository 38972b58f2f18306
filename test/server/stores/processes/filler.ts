// A process that fills a folder with new entries, six concurrent writers, and checks the bytes on disk; the
// test bundles and starts it. Arguments: folder, bound in bytes, entries, seed. Prints the minimum and
// maximum as JSON.

import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { nodeFiles } from "../../../../src/server/platform/files/node-files.ts";
import { filesystemStore } from "../../../../src/server/stores/filesystem/filesystem.ts";
import { seeded } from "../../../seeded.ts";

/** Shares of the bound, from when the folder was full for the first time. */
export interface Filled {
  least: number;
  most: number;
}

const [folder = "", bound = "0", entries = "0", seed = "1"] = process.argv.slice(2);
const maxBytes = Number(bound);
const store = filesystemStore({ files: nodeFiles(), path: folder, maxBytes });
const random = seeded(Number(seed));
const filled: Filled = { least: Number.POSITIVE_INFINITY, most: 0 };

function look(): number {
  const names = readdirSync(folder, { recursive: true }) as string[];
  const sizes = names
    .filter((name) => /[0-9a-f]{64}$/.test(name))
    .map((name) => statSync(join(folder, name), { throwIfNoEntry: false })?.size ?? 0);
  return sizes.reduce((sum, size) => sum + size, 0) / maxBytes;
}

let written = 0;
async function write(): Promise<void> {
  while (written < Number(entries)) {
    const entry = written++;
    await store.set(`${seed} ${entry}`, "", new Uint8Array(maxBytes / 40 + random(maxBytes / 40)));
    if (entry % 5 > 0) continue;
    // A file that appears during a look may be missing in it.
    const share = Math.max(look(), look(), look());
    filled.most = Math.max(filled.most, share);
    if (filled.most > 0.87) filled.least = Math.min(filled.least, share);
  }
}

await Promise.all(Array.from({ length: 6 }, write));
await store.close?.();
process.stdout.write(JSON.stringify(filled));
