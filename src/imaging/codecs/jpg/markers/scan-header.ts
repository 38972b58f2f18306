// A scan header: the components of a scan, their tables, and the part of their coefficients (ITU-T T.81,
// B.2.3).

import type { FrameHeader } from "./frame.ts";

export interface ScanHeader {
  readonly components: readonly {
    /** Index of the component in the frame. */
    readonly index: number;
    readonly dcSelector: number;
    readonly acSelector: number;
  }[];
  /** The fields Ss, Se, Ah and Al. */
  readonly first: number;
  readonly last: number;
  readonly high: number;
  readonly low: number;
}

/**
 * Parses the scan header from a segment's parameters. Returns "broken" if their number is wrong, and "unknown
 * component" if a component is not in the frame, or is repeated.
 */
export function readScanHeader(
  body: Uint8Array,
  frame: FrameHeader,
): ScanHeader | "broken" | "unknown component" {
  const count = body[0] ?? 0;
  if (count < 1 || count > 4 || body.length !== 4 + 2 * count) return "broken";
  const components: ScanHeader["components"][number][] = [];
  for (let i = 0; i < count; i++) {
    const id = body[1 + 2 * i]!;
    const selectors = body[2 + 2 * i]!;
    // several components may share one id: they are then taken in the order of the frame, as libjpeg does
    const index = frame.components.findIndex(
      (component, k) => component.id === id && !components.some((other) => other.index === k),
    );
    if (index < 0) return "unknown component";
    components.push({ index, dcSelector: selectors >> 4, acSelector: selectors & 15 });
  }
  const [first = 0, last = 0, approximation = 0] = body.subarray(1 + 2 * count);
  return { components, first, last, high: approximation >> 4, low: approximation & 15 };
}
