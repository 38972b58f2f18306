// Decodes windows of a codestream's components: tile by tile and in strips of rows, each from the ranges of
// bytes that it needs.

import { type ByteSource, blockwise, ImagingError } from "../../../../base/index.ts";
import { type RangeSource, withRanges } from "../../ranges.ts";
import { stripSamples } from "../memory.ts";
import { type Box, intersect, isEmpty, tileBox } from "../stream/geometry.ts";
import type { CodeBlock } from "../stream/precinct.ts";
import type { OpenTile, Stream } from "../stream/stream.ts";
import { blocksIn, pieceRanges, readPrecincts } from "./blocks.ts";
import { Arena } from "./engine.ts";
import { type CodedWindow, decodeComponent, type Workbench } from "./planes.ts";
import { type Effort, quantisationOf } from "./quantisation.ts";
import { type Plane, type StripComponent, storeBlank, storeStrip } from "./store.ts";
import { windowsFor } from "./windows.ts";

/** A component to decode, with its window at 1/2^level, in samples of the component at that level. */
export interface WantedComponent {
  readonly component: number;
  readonly window: Box;
}

/** Strips end at multiples of this many rows, like code-blocks. */
const stripRows = 64;
/** Gap in bytes up to which ranges are merged, if the source does not specify it. */
const diskGap = 4096;

/** What is read together of a file whose tiles have few bytes each: pieces, and how many stay in memory. */
const smallTiles = { block: 1 << 16, blocks: 16 } as const;

/** A file to decode, and what its blocks are decoded with. */
export interface OpenFile {
  readonly bytes: ByteSource;
  readonly stream: Stream;
  readonly bench: () => Workbench;
}

/** Decodes windows. Throws ImagingError `decode`, `unsupported` and `source`. */
export async function decodeWindows(
  { bytes: file, stream, bench }: OpenFile,
  wanted: readonly WantedComponent[],
  level: number,
  effort: Effort,
): Promise<Plane[]> {
  const { components } = stream.codestream;
  const bytes = stream.hasSmallTiles ? blockwise(file, smallTiles.block, smallTiles.blocks) : file;
  const source: RangeSource = {
    read: (offset, length) => bytes.read(offset, length),
    borrow: bytes.borrow,
    gap: bytes.gap ?? diskGap,
  };
  const planes: Plane[] = [];
  for (const { window, members } of groupWanted(wanted)) {
    const count = (window.x1 - window.x0) * (window.y1 - window.y0) * members.length;
    const isWide = members.some((component) => components[component]!.bits > 8);
    const plane = {
      components: members,
      window,
      samples: isWide ? new Uint16Array(count) : new Uint8Array(count),
    };
    for (const { index, part } of tilesIn(stream, members[0]!, window, level)) {
      const tile = await stream.tile(bytes, index);
      for (const strip of strips(part, members.length)) await decodeStrip(tile, strip, plane);
    }
    planes.push(plane);
  }
  return planes;

  async function decodeStrip(tile: OpenTile, strip: Box, plane: Plane): Promise<void> {
    // Encoders have set this for one component; other decoders ignore it too.
    const transforms = tile.parameters.transforms && components.length >= 3;
    // The transform takes the first three components together, whichever are needed.
    const needed = transforms
      ? [...new Set([...(plane.components.some((c) => c < 3) ? [0, 1, 2] : []), ...plane.components])]
      : plane.components;
    const windows = needed.map((component) => {
      const own = tile.components[component]!;
      const resolution = own.coding.levels - level;
      if (resolution < 0)
        throw new ImagingError(
          "unsupported",
          `Expected at least ${level} resolution levels in each tile of a JPEG 2000 file, received ${own.coding.levels} in one; ask for a larger size, or convert the file.`,
        );
      return { component, levels: windowsFor(own, resolution, strip) };
    });
    await readPrecincts(tile, windows, source);
    /** The code-blocks, and the bit-planes that are omitted of each. */
    const met: CodeBlock[] = [];
    const skipped: number[] = [];
    const coded = windows.map(({ component, levels }) => {
      const decoding = { bits: components[component]!.bits, last: levels.at(-1)!.resolution, effort };
      return {
        component,
        levels: levels.map(({ resolution, window, bands }) => ({
          resolution,
          window,
          bands: bands.map((part): CodedWindow => {
            const quantisation = quantisationOf(tile, component, part.band, decoding);
            const blocks = blocksIn(tile, component, resolution, part.band, part.window);
            for (const block of blocks) {
              met.push(block);
              skipped.push(quantisation.skipped);
            }
            return { band: part.band, window: part.window, quantisation, blocks };
          }),
        })),
      };
    });
    if (met.length === 0) return storeBlank(components, strip, plane);
    /** Returns the undecoded blocks; all, if there are more than fit. */
    const missingBlocks = (): readonly CodeBlock[] => {
      const { slots } = bench();
      // This lookup makes them the most recently used.
      return met.length < slots.count
        ? met.filter((block, i) => slots.find(block, skipped[i]!) === undefined)
        : met;
    };
    // Another job in this thread may take slots while this one waits for bytes: then the bytes of all blocks
    // are read.
    if (!(await decodeFrom(missingBlocks()))) await decodeFrom(met);

    /** Returns false if by now a block is missing that is not among `blocks`. */
    function decodeFrom(blocks: readonly CodeBlock[]): Promise<boolean> {
      return withRanges(pieceRanges(blocks), source, (parts) => {
        if (blocks.length < met.length) {
          const read = new Set(blocks);
          if (missingBlocks().some((block) => !read.has(block))) return false;
        }
        const arena = new Arena(bench().engine);
        const decoded = coded.map(({ component, levels }): StripComponent => {
          const { bits } = components[component]!;
          const samples = decodeComponent(bench(), arena, { tile, component, levels }, parts);
          const { window } = levels.at(-1)!;
          const inside = (strip.y0 - window.y0) * samples.stride + strip.x0 - window.x0;
          return { ...samples, component, bits, at: samples.at + 4 * inside };
        });
        storeStrip(arena, transforms, strip, decoded, plane);
        return true;
      });
    }
  }
}

/** Groups components with the same window. */
function groupWanted(wanted: readonly WantedComponent[]): { window: Box; members: number[] }[] {
  const groups: { window: Box; members: number[] }[] = [];
  for (const { component, window } of wanted) {
    const same = groups.find(
      ({ window: { x0, y0, x1, y1 } }) =>
        x0 === window.x0 && y0 === window.y0 && x1 === window.x1 && y1 === window.y1,
    );
    if (same) same.members.push(component);
    else groups.push({ window, members: [component] });
  }
  return groups;
}

/** Yields the tiles in a window of a component at 1/2^level, with the part in each. */
function* tilesIn(
  { codestream }: Stream,
  component: number,
  window: Box,
  level: number,
): Iterable<{ readonly index: number; readonly part: Box }> {
  const { tileWidth, tileHeight, tileLeft, tileTop, offsetX, offsetY, width, height } = codestream;
  const { dx, dy } = codestream.components[component]!;
  const [stepX, stepY] = [dx * 2 ** level, dy * 2 ** level];
  const columns = Math.ceil((offsetX + width - tileLeft) / tileWidth);
  const rows = Math.ceil((offsetY + height - tileTop) / tileHeight);
  // Samples are at multiples of the step, so a tile may have samples of a window whose grid begins before it.
  const first = (position: number, step: number, from: number, size: number) =>
    Math.max(0, Math.floor(((position - 1) * step - from) / size));
  for (let q = first(window.y0, stepY, tileTop, tileHeight); q < rows; q++) {
    if (tileTop + q * tileHeight >= window.y1 * stepY) break;
    for (let p = first(window.x0, stepX, tileLeft, tileWidth); p < columns; p++) {
      if (tileLeft + p * tileWidth >= window.x1 * stepX) break;
      const index = q * columns + p;
      const { x0, y0, x1, y1 } = tileBox(codestream, index);
      const part = intersect(window, {
        x0: Math.ceil(Math.ceil(x0 / dx) / 2 ** level),
        y0: Math.ceil(Math.ceil(y0 / dy) / 2 ** level),
        x1: Math.ceil(Math.ceil(x1 / dx) / 2 ** level),
        y1: Math.ceil(Math.ceil(y1 / dy) / 2 ** level),
      });
      if (!isEmpty(part)) yield { index, part };
    }
  }
}

/** Divides a part of `count` components into strips of rows; those of a very wide part are side by side. */
function* strips(part: Box, count: number): Iterable<Box> {
  const max = Math.max(1, Math.floor(stripSamples / (stripRows * count)));
  for (let x0 = part.x0; x0 < part.x1; x0 += max) {
    const x1 = Math.min(part.x1, x0 + max);
    const rows = Math.max(stripRows, Math.floor(stripSamples / ((x1 - x0) * count)));
    for (let y0 = part.y0; y0 < part.y1; ) {
      const end = y0 + rows;
      const y1 = end >= part.y1 ? part.y1 : Math.max(y0 + 1, Math.floor(end / stripRows) * stripRows);
      yield { x0, y0, x1, y1 };
      y0 = y1;
    }
  }
}
