// Compressed forms of static files, made once at build time: app.js.br and app.js.gz beside app.js.

import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";

/**
 * Extensions of the types that src/api/http/static.ts takes for compressed. HTML is none of them: pages of the documentation get
 * their layout from the service.
 */
const compressed = /\.(css|js|json|svg|txt)$/;

const forms = {
  br: (bytes) =>
    promisify(brotliCompress)(bytes, { params: { [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length } }),
  gz: (bytes) => promisify(gzip)(bytes, { level: 9 }),
};

/** Writes the compressed forms of all text files below a folder, where they are smaller than the file. */
export async function compressFiles(folder) {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile() && compressed.test(entry.name));
  for (const entry of files) {
    const file = join(entry.parentPath ?? entry.path, entry.name);
    const bytes = await readFile(file);
    for (const [suffix, compress] of Object.entries(forms)) {
      const smaller = await compress(bytes);
      if (smaller.length < bytes.length) await writeFile(`${file}.${suffix}`, smaller);
    }
  }
}
