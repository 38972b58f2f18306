// What the latest renders of each master took, beside what was expected of them: for the image doctor.

import type { NamedMaster } from "../imaging/codecs/plan.ts";
import { createLru } from "../imaging/lib/lru.ts";
import type { Work } from "./admission/cost.ts";

/** A render as it ended. */
export interface RenderRecord {
  /** `region/size/rotation/quality.format` in the canonical spelling. */
  readonly canonical: string;
  readonly expected: Work;
  /** Estimated peak bytes, which the gate counted with. */
  readonly memory: number;
  /** Milliseconds from the job's admission to its bytes. */
  readonly tookMs: number;
  /** Milliseconds since 1970. */
  readonly at: number;
}

/** The latest of the whole image, and of a part of it. */
export interface LatestOfMaster {
  readonly whole?: RenderRecord;
  readonly part?: RenderRecord;
}

export interface LatestRenders {
  note(master: NamedMaster, what: keyof LatestOfMaster, record: RenderRecord): void;
  of(master: NamedMaster): LatestOfMaster | undefined;
}

/** Masters that are remembered; the ones rendered last stay. */
const mostMasters = 1024;

/** An empty memory. */
export function createLatestRenders(): LatestRenders {
  const masters = createLru<string, { whole?: RenderRecord; part?: RenderRecord }>(mostMasters);
  return {
    note(master, what, record) {
      const known = masters.get(keyOf(master));
      if (known) known[what] = record;
      else masters.set(keyOf(master), { [what]: record }, 1);
    },
    of: (master) => masters.get(keyOf(master)),
  };
}

const keyOf = ({ name, version }: NamedMaster) => `${name}\n${version}`;
