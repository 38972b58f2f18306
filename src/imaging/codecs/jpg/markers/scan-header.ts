// A scan header: which components a scan has, with which tables, and which part of their coefficients (ITU-T T.81, B.2.3).

import type { FrameHeader } from "./frame.ts";

export interface ScanHeader {
  readonly components: readonly {
    /** Place of the component in the frame. */
    readonly index: number;
    readonly dcSelector: number;
    readonly acSelector: number;
  }[];
  /** Ss, Se, Ah and Al. */
  readonly first: number;
  readonly last: number;
  readonly high: number;
  readonly low: number;
}

/**
 * The scan header in a segment's parameters; "broken" where their number does not fit, "unknown component" where a component
 * is not in the frame, or is there twice.
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
    // several components may have one id: then they follow one another as in the frame, as libjpeg reads them
    const index = frame.components.findIndex(
      (component, k) => component.id === id && !components.some((other) => other.index === k),
    );
    if (index < 0) return "unknown component";
    components.push({ index, dcSelector: selectors >> 4, acSelector: selectors & 15 });
  }
  const [first = 0, last = 0, approximation = 0] = body.subarray(1 + 2 * count);
  return { components, first, last, high: approximation >> 4, low: approximation & 15 };
}
