// Actual and expected costs of the latest renders of each master, for the image doctor.

import { createLru } from "../../base/index.ts";
import type { NamedMaster } from "../../imaging/index.ts";
import type { EstimatedWork } from "./admission/cost.ts";

/** Figures of a completed render. */
export interface RenderRecord {
  /** `region/size/rotation/quality.format` in the canonical spelling. */
  readonly canonical: string;
  readonly expected: EstimatedWork;
  /** Estimated peak bytes that the job was admitted with. */
  readonly memory: number;
  /** Milliseconds from the admission of the job to its result. */
  readonly tookMs: number;
  /** End of the render, in milliseconds since 1970. */
  readonly at: number;
}

/** Latest renders of the whole image, and of a part of it. */
export interface LatestOfMaster {
  readonly whole?: RenderRecord;
  readonly part?: RenderRecord;
}

export interface LatestRenders {
  note(master: NamedMaster, what: keyof LatestOfMaster, record: RenderRecord): void;
  of(master: NamedMaster): LatestOfMaster | undefined;
}

/** Number of masters that are remembered, the latest rendered ones. */
const maxMasters = 1024;

/** Creates an empty list. */
export function createLatestRenders(): LatestRenders {
  const masters = createLru<string, { whole?: RenderRecord; part?: RenderRecord }>(maxMasters);
  return {
    note(master, what, record) {
      const known = masters.get(keyOf(master));
      if (known) known[what] = record;
      else masters.set(keyOf(master), { [what]: record }, 1);
    },
    of: (master) => masters.get(keyOf(master)),
  };
}

/** A list that stays empty, for renders that no reader requested. */
export const unnotedRenders: LatestRenders = { note() {}, of: () => undefined };

const keyOf = ({ name, version }: NamedMaster) => `${name}\n${version}`;
