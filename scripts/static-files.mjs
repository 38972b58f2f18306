// Compressed forms of static files, made once at build time: app.js.br and app.js.gz next to app.js.

import { createHash } from "node:crypto";
import { mkdir, readdir, readFile, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";

/**
 * Extensions of the types that src/server/api/http/static.ts takes for compressed. HTML is none of them:
 * pages of the documentation get their layout from the service.
 */
const text = /\.(css|js|json|svg|txt)$/;

const forms = {
  br: (bytes) =>
    promisify(brotliCompress)(bytes, { params: { [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length } }),
  gz: (bytes) => promisify(gzip)(bytes, { level: 9 }),
};

/**
 * Folder that keeps the forms of large files between builds, by their digest: the viewers take brotli about
 * ten seconds.
 */
const cache = fileURLToPath(new URL("../node_modules/.cache/smalti-compressed/", import.meta.url));
const large = 100_000;

async function compressed(bytes, suffix) {
  if (bytes.length < large) return forms[suffix](bytes);
  const kept = join(cache, `${createHash("sha256").update(bytes).digest("hex")}.${suffix}`);
  const known = await readFile(kept).catch(() => undefined);
  if (known) return known;
  const form = await forms[suffix](bytes);
  // Several builds may run concurrently; none reads half a file of another.
  const part = `${kept}.${process.pid}`;
  await mkdir(cache, { recursive: true });
  await writeFile(part, form);
  await rename(part, kept);
  return form;
}

/** Writes the compressed forms of all text files below a folder, if they are smaller than the file. */
export async function compressFiles(folder) {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile() && text.test(entry.name));
  const compressFile = async (entry) => {
    const file = join(entry.parentPath ?? entry.path, entry.name);
    const bytes = await readFile(file);
    for (const suffix of Object.keys(forms)) {
      const smaller = await compressed(bytes, suffix);
      if (smaller.length < bytes.length) await writeFile(`${file}.${suffix}`, smaller);
    }
  };
  await Promise.all(files.map(compressFile));
}
