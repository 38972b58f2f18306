// JPEG 2000 as a strip or tile of another file: all components of a codestream, as they are.

import { memoryBytes } from "../../lib/byte-source.ts";
import { decodeRegion } from "./decode.ts";
import { readFacts } from "./header.ts";
import { openFile } from "./opening.ts";
import type { workbench } from "./region/workbench.ts";

/** What a codestream says of its samples. */
export interface BlockFacts {
  readonly width: number;
  readonly height: number;
  readonly components: number;
  /** The depth of all components; undefined if they differ, or are signed. */
  readonly bits: number | undefined;
  /** Halvings that {@link decodeJp2Block} takes. */
  readonly levels: number;
  /** Whether the components went through a transform, which decoding undoes. */
  readonly transformed: boolean;
}

/** Reads the header of a codestream, boxed or not. Throws ServiceError `decode`. */
export async function jp2BlockFacts(data: Uint8Array): Promise<BlockFacts> {
  const { codestream, bands } = await readFacts(memoryBytes(data));
  const { width, height, components, levels, transformed } = codestream;
  const [first] = components;
  const isPlain = components.every(({ bits, signed }) => bits === first?.bits && !signed);
  return {
    width,
    height,
    components: components.length,
    bits: isPlain && !bands.palette ? first?.bits : undefined,
    levels,
    transformed,
  };
}

/**
 * The components of a codestream at 1/2^level, interleaved, those of fewer samples repeated: as bytes, or 16-bit samples if
 * they are deeper. Throws ServiceError `decode` and `unsupported`.
 */
export async function decodeJp2Block(
  bench: ReturnType<typeof workbench>,
  data: Uint8Array,
  level: number,
): Promise<Uint8Array | Uint16Array> {
  const bytes = memoryBytes(data);
  const { facts, stream } = await openFile(bytes);
  const { width, height, components } = facts.codestream;
  // What boxes say of colour does not count here: the file around says it.
  const from = components.map((_, component) => ({ component }));
  const bands = { interpretation: "rgb", from } as const;
  const region = { x: 0, y: 0, width, height };
  const pixels = await bench.use((parts) =>
    decodeRegion(bytes, stream, { ...facts, bands }, parts, region, level),
  );
  return pixels.data;
}
