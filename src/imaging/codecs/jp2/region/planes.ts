// Decodes components of a part of a tile, from code-blocks to samples (ITU-T T.800 Annexes E, F and G).

import type { ReadRanges } from "../../ranges.ts";
import type { Band, TileComponent } from "../stream/geometry.ts";
import type { CodeBlock } from "../stream/precinct.ts";
import type { OpenTile } from "../stream/stream.ts";
import type { BlockSlots } from "./block-slots.ts";
import { decodeBlock } from "./decode-block.ts";
import type { Arena, Engine } from "./engine.ts";
import type { BandQuantisation } from "./quantisation.ts";
import type { BandWindow, ResolutionWindow } from "./windows.ts";

/** Decoding tools: an instance, and the blocks in it. */
export interface Workbench {
  readonly engine: Engine;
  readonly slots: BlockSlots;
}

/** Samples of 4 bytes: integers if the component is reversible, else floats. */
export interface BandSamples {
  /** Address of the first sample. */
  readonly at: number;
  /** Number of samples from one row to the next. */
  readonly stride: number;
  readonly isFloat: boolean;
}

const strideOf = (width: number) => Math.ceil(width / 4) * 4;

/**
 * Scale of the low samples of the irreversible wavelet; that of the high ones is the inverse (F.3.8.2, table
 * F.4).
 */
const lowScale = 1.230174104914001;

/**
 * Returns the factor for coefficients of a sub-band that makes scaling in the lifting steps unnecessary: K
 * for each time that they pass as low samples, 1/K as high ones. A signal of one sample passes unchanged,
 * halved if it is a high one.
 */
function waveletScale({ resolutions }: TileComponent, band: Band, r: number, last: number): number {
  let scale = 1;
  for (let at = Math.max(r, 1); at <= last; at++) {
    const { x0, y0, x1, y1 } = resolutions[at]!;
    const isOwn = at === r;
    const isHighAcross = isOwn && (band.orientation === "HL" || band.orientation === "HH");
    const isHighDown = isOwn && (band.orientation === "LH" || band.orientation === "HH");
    scale *= passScale(x1 - x0, isHighAcross) * passScale(y1 - y0, isHighDown);
  }
  return scale;
}

function passScale(length: number, isHigh: boolean): number {
  if (length === 1) return isHigh ? 0.5 : 1;
  return isHigh ? 1 / lowScale : lowScale;
}

/** The part of a sub-band that a read needs: its code-blocks with data, and how they are quantised. */
export interface CodedWindow extends BandWindow {
  readonly quantisation: BandQuantisation;
  readonly blocks: readonly CodeBlock[];
}

export interface CodedLevel extends ResolutionWindow {
  readonly bands: readonly CodedWindow[];
}

/** A component of a tile, and its windows from the lowest resolution up. */
export interface ComponentWindows {
  readonly tile: OpenTile;
  readonly component: number;
  readonly levels: readonly CodedLevel[];
}

/**
 * Decodes the window of a component at the last of `levels`. Blocks come from `bytes`, or are already
 * decoded. Returns the samples of the last window, which is larger than requested. Throws ImagingError
 * `decode`.
 */
export function decodeComponent(
  { slots }: Workbench,
  arena: Arena,
  { tile, component, levels }: ComponentWindows,
  bytes: ReadRanges,
): BandSamples {
  const { engine } = arena;
  const own = tile.components[component]!;
  const { reversible } = own.coding;
  const last = levels.at(-1)!.resolution;
  const invert = reversible ? engine.run.inverse53 : engine.run.inverse97;

  /** Returns the coefficients of a window of a sub-band. */
  const fill = (r: number, { band, window, quantisation, blocks }: CodedWindow): number => {
    const width = window.x1 - window.x0;
    const stride = strideOf(width);
    const length = stride * (window.y1 - window.y0) * 4;
    const at = arena.take(length);
    engine.bytes().fill(0, at, at + length);
    const scale = reversible ? 1 : (quantisation.step / 2) * waveletScale(own, band, r, last);
    for (const block of blocks) {
      const slot = slots.find(block, quantisation.skipped) ?? decodeNow(block, quantisation);
      const x0 = Math.max(block.x0, window.x0);
      const y0 = Math.max(block.y0, window.y0);
      const across = Math.min(block.x1, window.x1) - x0;
      const down = Math.min(block.y1, window.y1) - y0;
      const pitch = block.x1 - block.x0;
      const from = slot + 4 * ((y0 - block.y0) * pitch + x0 - block.x0);
      const to = at + 4 * ((y0 - window.y0) * stride + x0 - window.x0);
      if (reversible) engine.run.copyInts(from, pitch, to, stride, across, down);
      else engine.run.copyFloats(from, pitch, to, stride, across, down, scale);
    }
    return at;
  };
  const decodeNow = (block: CodeBlock, quantisation: BandQuantisation): number => {
    const slot = slots.take(block, quantisation.skipped);
    try {
      decodeBlock(arena, block, quantisation, bytes, slot);
    } catch (error) {
      slots.forget(block);
      throw error;
    }
    return slot;
  };

  /** Makes the samples in the window of a resolution, after those below, which are then released. */
  const make = (index: number): BandSamples => {
    const { resolution, window, bands } = levels[index]!;
    if (resolution === 0) {
      const [lowest] = bands as [CodedWindow];
      const { x0, x1 } = lowest.window;
      return { at: fill(0, lowest), stride: strideOf(x1 - x0), isFloat: !reversible };
    }
    const width = window.x1 - window.x0;
    const stride = strideOf(width);
    const out = arena.take(4 * stride * (window.y1 - window.y0));
    const mark = arena.mark;
    const low = make(index - 1);
    const below = levels[index - 1]!;
    // The window below exceeds its low samples by the reach of its own filters.
    const left = Math.ceil(window.x0 / 2) - below.window.x0;
    const top = Math.ceil(window.y0 / 2) - below.window.y0;
    const [hl, lh, hh] = bands.map((part) => fill(resolution, part)) as [number, number, number];
    const scratch = arena.take(engine.run.waveletScratchBytes(width));
    const ll = low.at + 4 * (top * low.stride + left);
    invert(window.x0, window.y0, window.x1, window.y1, ll, low.stride, hl, lh, hh, out, stride, scratch);
    arena.release(mark);
    return { at: out, stride, isFloat: !reversible };
  };
  return make(levels.length - 1);
}
