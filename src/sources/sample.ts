// The bundled picture as a source: what the service shows before it is told of any other.

import { ServiceError } from "../errors.ts";
import { memoryBytes } from "../lib/byte-source.ts";
import { createCounts } from "../lib/count.ts";
import { sha256, toHex } from "../lib/digest.ts";
import { keySegments } from "./key.ts";
import type { Source } from "./source.ts";

/** The key of the only picture. */
export const sampleKey = "sample";

/** A source with one picture; `load` gives its bytes, undefined when the build lacks it, and is called once. */
export function sampleSource(load: () => Promise<Uint8Array | undefined>): Source {
  const counts = createCounts("opens", "not_found", "errors", "reads", "bytes");
  const missing = (cause?: unknown) => {
    counts.add("errors");
    return new ServiceError(
      "source",
      "The bundled sample image was expected beside the program; it is not there. Install the program again.",
      {
        code: "sample_missing",
        cause,
      },
    );
  };
  const read = async () => {
    const bytes = await load();
    if (!bytes) throw missing();
    return { bytes, validator: toHex(await sha256(bytes)).slice(0, 32) };
  };
  let loaded: ReturnType<typeof read> | undefined;
  const picture = () =>
    (loaded ??= read().catch((error) => {
      loaded = undefined;
      throw error instanceof ServiceError ? error : missing(error);
    }));

  return {
    name: "sample",
    backend: "sample",
    prefix: "",
    fingerprint: "sample",
    counts,
    async open(key) {
      keySegments(key);
      if (key !== sampleKey) {
        counts.add("not_found");
        return undefined;
      }
      const { bytes, validator } = await picture();
      const memory = memoryBytes(bytes);
      counts.add("opens");
      return {
        bytes: {
          size: bytes.length,
          async read(offset, length) {
            const part = await memory.read(offset, length);
            counts.add("reads");
            counts.add("bytes", part.length);
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
