// Reads and writes ZIP files with zip.js, as another implementation.

import {
  configure,
  Uint8ArrayReader,
  Uint8ArrayWriter,
  ZipReader,
  ZipWriter,
  type ZipWriterAddDataOptions,
} from "@zip.js/zip.js";

configure({ useWebWorkers: false });

/** Returns the contents of all files by name. Throws what zip.js throws for an archive that it refuses. */
export async function readByZipJs(zip: Uint8Array): Promise<ReadonlyMap<string, Uint8Array>> {
  const reader = new ZipReader(new Uint8ArrayReader(zip), { checkSignature: true });
  const found = new Map<string, Uint8Array>();
  for (const entry of await reader.getEntries())
    if (!entry.directory) found.set(entry.filename, await entry.getData(new Uint8ArrayWriter()));
  await reader.close();
  return found;
}

export async function writeByZipJs(
  files: ReadonlyMap<string, Uint8Array>,
  options: ZipWriterAddDataOptions,
): Promise<Uint8Array> {
  const writer = new ZipWriter(new Uint8ArrayWriter());
  for (const [name, data] of files) await writer.add(name, new Uint8ArrayReader(data), options);
  return writer.close();
}
