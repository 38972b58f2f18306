// Coding parameters of each component in the headers of a codestream (ITU-T T.800 A.6): main header and
// tile-part headers alike.

import { damagedJp2 } from "../../damaged.ts";
import { checkSegment } from "../extensions.ts";
import { marker, type Progression, progressions } from "../markers.ts";
import type { Segment } from "./segments.ts";

/** Coding of a component (COD, COC). */
export interface Coding {
  readonly levels: number;
  /** Exponents of the sides of code-blocks. */
  readonly blockWidth: number;
  readonly blockHeight: number;
  readonly style: number;
  readonly reversible: boolean;
  /** Exponents of the sides of precincts by resolution, the smallest first. */
  readonly precincts: readonly { readonly x: number; readonly y: number }[];
}

/** Quantisation of a component (QCD, QCC). */
export interface Quantisation {
  readonly kind: "none" | "derived" | "expounded";
  readonly guardBits: number;
  /** Steps by sub-band, LL first. */
  readonly steps: readonly { readonly exponent: number; readonly mantissa: number }[];
}

/** A range of a tile's packets in one order (COD, or a row of POC). Ends are exclusive. */
export interface Volume {
  readonly order: Progression;
  readonly firstResolution: number;
  readonly endResolution: number;
  readonly firstComponent: number;
  readonly endComponent: number;
  readonly endLayer: number;
}

/** All effective parameters of a tile. */
export interface Parameters {
  readonly order: Progression;
  readonly layers: number;
  /** True if the first three components are transformed (Annex G). */
  readonly transforms: boolean;
  /** Coding by component. */
  readonly coding: readonly Coding[];
  readonly quantisation: readonly Quantisation[];
  /** Bit-planes that a region of interest is shifted up by, by component. */
  readonly regionShift: readonly number[];
  /** Rows of POC; empty if there are none. */
  readonly changes: readonly Volume[];
}

interface Layered<T> {
  /** Values for all components, and for single ones. */
  all?: T;
  readonly one: Map<number, T>;
}

/** Values from the segments of one header; a tile's header overrides the main header. */
interface ParameterSegments {
  general?: Pick<Parameters, "order" | "layers" | "transforms">;
  readonly coding: Layered<Coding>;
  readonly quantisation: Layered<Quantisation>;
  readonly regionShift: Map<number, number>;
  readonly changes: Volume[];
}

/** Collects headers, and returns the effective parameters. */
export interface ParameterReader {
  /** Throws ImagingError `decode`, and `unsupported` for features beyond Part 1 and Part 15. */
  take(segments: Iterable<Segment>): void;
  /** Returns a reader for the header of a tile, on top of the values read here. */
  forTile(): ParameterReader;
  /** Throws ImagingError `decode` if something is missing. */
  read(): Parameters;
}

/** Returns a reader for the main header of a codestream with that many components. */
export function parameterReader(
  components: number,
  main?: ParameterReader & { said: ParameterSegments },
): ParameterReader {
  const said: ParameterSegments = {
    coding: { one: new Map() },
    quantisation: { one: new Map() },
    regionShift: new Map(),
    changes: [],
  };
  /** The result of {@link ParameterReader.read}, which most tiles share. */
  let read: Parameters | undefined;
  const wide = components > 256 ? 2 : 1;
  const componentOf = (view: DataView) => (wide === 2 ? view.getUint16(0) : view.getUint8(0));
  const reader = {
    said,
    take(segments: Iterable<Segment>) {
      read = undefined;
      try {
        for (const { kind, body } of segments) {
          checkSegment(kind, body, components);
          if (kind === marker.cod) {
            said.general = readGeneral(body);
            said.coding.all = readCoding(body, 5, (body.getUint8(0) & 1) !== 0);
          } else if (kind === marker.coc) {
            const userDefined = (body.getUint8(wide) & 1) !== 0;
            said.coding.one.set(componentOf(body), readCoding(body, wide + 1, userDefined));
          } else if (kind === marker.qcd) said.quantisation.all = readQuantisation(body, 0);
          else if (kind === marker.qcc)
            said.quantisation.one.set(componentOf(body), readQuantisation(body, wide));
          else if (kind === marker.rgn) said.regionShift.set(componentOf(body), body.getUint8(wide + 1));
          else if (kind === marker.poc) addChanges(said.changes, readChanges(body, wide, components));
        }
      } catch (cause) {
        if (cause instanceof RangeError)
          throw damagedJp2("complete marker segments, but one ends early", cause);
        throw cause;
      }
    },
    forTile: () => parameterReader(components, reader),
    read(): Parameters {
      read ??= combine();
      return read;
    },
  };
  return reader;

  function combine(): Parameters {
    const outer = main?.said;
    const general = said.general ?? outer?.general;
    if (!general) throw damagedJp2("a COD segment in the main header, found none");
    const pick = <T>(from: (said: ParameterSegments) => Layered<T>, name: string) =>
      Array.from({ length: components }, (_, c) => {
        const [own, of] = [from(said), outer && from(outer)];
        const found = own.one.get(c) ?? own.all ?? of?.one.get(c) ?? of?.all;
        if (!found) throw damagedJp2(`a ${name} segment in the main header, found none`);
        return found;
      });
    return {
      ...general,
      coding: pick((all) => all.coding, "COD"),
      quantisation: pick((all) => all.quantisation, "QCD"),
      regionShift: Array.from(
        { length: components },
        (_, c) => said.regionShift.get(c) ?? outer?.regionShift.get(c) ?? 0,
      ),
      changes: said.changes.length > 0 ? said.changes : (outer?.changes ?? []),
    };
  }
}

/** Reads SGcod and Scod (table A.13 to A.16). */
function readGeneral(cod: DataView): NonNullable<ParameterSegments["general"]> {
  const order = progressions[cod.getUint8(1)];
  const layers = cod.getUint16(2);
  if (!order || layers === 0) throw damagedJp2("one of five progression orders and at least one layer");
  return { order, layers, transforms: cod.getUint8(4) === 1 };
}

/** Reads SPcod or SPcoc (table A.15) from `at` on. */
function readCoding(view: DataView, at: number, userDefined: boolean): Coding {
  const levels = view.getUint8(at);
  const blockWidth = (view.getUint8(at + 1) & 15) + 2;
  const blockHeight = (view.getUint8(at + 2) & 15) + 2;
  if (levels > 32) throw damagedJp2(`at most 32 resolution levels, received ${levels}`);
  if (blockWidth > 10 || blockHeight > 10 || blockWidth + blockHeight > 12)
    throw damagedJp2(
      `code-blocks of at most 4096 samples and 1024 on a side, received ${2 ** blockWidth}x${2 ** blockHeight}`,
    );
  const style = view.getUint8(at + 3);
  const precincts = Array.from({ length: levels + 1 }, (_, r) => {
    const sides = userDefined ? view.getUint8(at + 5 + r) : 0xff;
    return { x: sides & 15, y: sides >> 4 };
  });
  if (precincts.some(({ x, y }, r) => r > 0 && (x === 0 || y === 0)))
    throw damagedJp2("precincts of at least 2 samples on a side above the smallest resolution");
  return { levels, blockWidth, blockHeight, style, reversible: view.getUint8(at + 4) === 1, precincts };
}

const kinds = ["none", "derived", "expounded"] as const;

/** Reads tables A.28 and A.29, from `at` on. */
function readQuantisation(view: DataView, at: number): Quantisation {
  const style = view.getUint8(at);
  const kind = kinds[style & 31];
  if (!kind) throw damagedJp2(`a quantisation of style 0 to 2, received ${style & 31}`);
  const size = kind === "none" ? 1 : 2;
  const count = kind === "derived" ? 1 : Math.floor((view.byteLength - at - 1) / size);
  const steps = Array.from({ length: count }, (_, band) => {
    if (kind === "none") return { exponent: view.getUint8(at + 1 + band) >> 3, mantissa: 0 };
    const step = view.getUint16(at + 1 + 2 * band);
    return { exponent: step >> 11, mantissa: step & 0x7ff };
  });
  if (steps.length === 0) throw damagedJp2("a quantisation step, found none");
  return { kind, guardBits: style >> 5, steps };
}

/** As many as OpenJPEG accepts: each goes through all precincts of a tile. */
const maxChanges = 32;

function addChanges(all: Volume[], more: readonly Volume[]): void {
  if (all.length + more.length > maxChanges)
    throw damagedJp2(`at most ${maxChanges} changes of progression, received ${all.length + more.length}`);
  all.push(...more);
}

/** Reads the rows of a POC segment (table A.32). */
function readChanges(view: DataView, wide: 1 | 2, components: number): Volume[] {
  const row = 5 + 2 * wide;
  return Array.from({ length: Math.floor(view.byteLength / row) }, (_, i) => {
    const at = i * row;
    const component = (offset: number) =>
      wide === 2 ? view.getUint16(at + offset) : view.getUint8(at + offset);
    const order = progressions[view.getUint8(at + 4 + 2 * wide)];
    if (!order) throw damagedJp2("one of five progression orders in POC, received another");
    // 0 means one more than the largest number that fits.
    const endComponent = component(4 + wide) || (wide === 2 ? 16384 : 256);
    return {
      order,
      firstResolution: view.getUint8(at),
      firstComponent: component(1),
      endLayer: view.getUint16(at + 1 + wide),
      endResolution: view.getUint8(at + 3 + wide),
      endComponent: Math.min(endComponent, components),
    };
  });
}
