// The planes at 1/4 of a file that is written here: its bytes are taken in as they come, and nothing is read.

import { memoryBytes } from "../../../lib/byte-source.ts";
import { type BuildOptions, createIndexBuilder } from "./build-index.ts";
import type { Engine } from "./engine.ts";
import { readHeader } from "./frame.ts";
import { createTables } from "./tables.ts";

/** Bytes that are taken in at a time. */
const portion = 256 * 1024;

export interface WrittenQuarter {
  /** The file's bytes behind those of its head. */
  add(bytes: Uint8Array): void;
  /** When all have come: each component at 1/4, as `JpegReader.quarter` has them. */
  end(): readonly Uint8Array[];
}

/**
 * For a file of one interleaved scan whose bytes up to the entropy-coded data are `head`; `undefined` where it is none for this
 * decoder, or its planes would be too large.
 */
export async function writtenQuarter(
  engine: () => Engine,
  head: Uint8Array,
  options: BuildOptions,
): Promise<WrittenQuarter | undefined> {
  const source = memoryBytes(head);
  const header = await readHeader(source);
  if (!header) return undefined;
  const tables = createTables();
  tables.add(header.first);
  const builder = createIndexBuilder(engine, tables, header, source, { ...options, overviewLimit: 0 });
  const { quarter } = builder;
  if (!quarter) return undefined;
  const current = new Uint8Array(portion);
  let used = 0;
  return {
    add(bytes) {
      for (let at = 0; at < bytes.length; ) {
        const part = bytes.subarray(at, at + portion - used);
        current.set(part, used);
        used += part.length;
        at += part.length;
        if (used < portion) continue;
        builder.push(current.slice(), false);
        used = 0;
      }
    },
    end() {
      builder.push(current.slice(0, used), true);
      return quarter.map(({ plane }) => plane);
    },
  };
}
