// The bundled image as a source, served until other sources are configured.

import { createCounts, memoryBytes, ServiceError, sha256, toHex } from "../../base/index.ts";
import { keySegments } from "./key.ts";
import { type Source, type SourceCounts, sourceCounts } from "./source.ts";

export const sampleName = "sample";

/** Key of the only master. */
export const sampleKey = "sample";

/**
 * Creates a source with one master. `load` returns its bytes, or undefined if the build does not contain it;
 * it is called once.
 */
export function sampleSource(
  load: () => Promise<Uint8Array | undefined>,
  counts: SourceCounts = createCounts(...sourceCounts),
): Source {
  const missingError = (cause?: unknown) => {
    counts.errors.add();
    return new ServiceError(
      "source",
      "The bundled sample image was expected next to the program; it is missing. Install the program again.",
      {
        code: "sample_missing",
        cause,
      },
    );
  };
  const read = async () => {
    const bytes = await load();
    if (!bytes) throw missingError();
    return { bytes, validator: toHex(await sha256(bytes)).slice(0, 32) };
  };
  let loaded: ReturnType<typeof read> | undefined;
  const picture = () =>
    (loaded ??= read().catch((error) => {
      loaded = undefined;
      throw error instanceof ServiceError ? error : missingError(error);
    }));

  return {
    name: sampleName,
    backend: "sample",
    prefix: "",
    fingerprint: "sample",
    counts,
    async open(key) {
      keySegments(key);
      if (key !== sampleKey) {
        counts.notFound.add();
        return undefined;
      }
      const { bytes, validator } = await picture();
      const memory = memoryBytes(bytes);
      counts.opens.add();
      return {
        bytes: {
          size: bytes.length,
          async read(offset, length) {
            const part = await memory.read(offset, length);
            counts.reads.add();
            counts.bytes.add(part.length);
            return part;
          },
        },
        validator,
        async close() {},
      };
    },
    list: async (directory) => (directory === "" ? [{ name: sampleKey, kind: "image" }] : undefined),
    async check() {
      await picture();
    },
  };
}
