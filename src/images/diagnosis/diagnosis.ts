// What the image doctor says of one image: facts in sections, and findings with what to do about them.

import type { Finding } from "../../lib/finding.ts";

/** Plain data: sizes as `{ width, height }`, times in milliseconds, lengths in bytes. */
export type FactValue =
  | string
  | number
  | boolean
  | readonly FactValue[]
  | { readonly [name: string]: FactValue };

export interface Fact {
  /** For programs; stays the same. */
  readonly name: string;
  readonly label: string;
  readonly value: FactValue;
  /** The value for people, with its unit. */
  readonly text: string;
}

export const sectionTitles = {
  file: "File",
  picture: "Picture",
  storage: "How it is stored",
  colour: "Colour",
  metadata: "Orientation and metadata",
  levels: "Levels and sidecar",
  costs: "Cost",
  access: "Access and limits",
} as const;
export type SectionName = keyof typeof sectionTitles;

export interface Section {
  readonly name: SectionName;
  readonly title: string;
  /** At least one. */
  readonly facts: readonly Fact[];
}

/** What a picture of the image costs: a tile of a level, or the whole image. */
export interface CostRow {
  readonly what: "tile" | "whole";
  /** Pixels of the image for one of the answer, each way. */
  readonly scale: number;
  /** `region/size/rotation/quality.format`. */
  readonly request: string;
  /** Absent where it is refused. */
  readonly expected?: {
    readonly ms: number;
    /** Peak bytes. */
    readonly memory: number;
    /** Pixels of the master that are decoded. */
    readonly decoded: number;
  };
  readonly refused?: string;
  /** Milliseconds of a render for this diagnosis, waiting included. */
  readonly measuredMs?: number;
}

/** A render that a request led to in this process: the latest of a part of the image, or of all of it. */
export interface LatestRow {
  /** `region/size/rotation/quality.format`. */
  readonly request: string;
  readonly expectedMs: number;
  readonly ms: number;
  /** Bytes that it was admitted with. */
  readonly memory: number;
  /** When it ended, ISO 8601. */
  readonly at: string;
}

export interface Diagnosis {
  readonly identifier: string;
  /** Those of the section `costs` in rows; none where the image cannot be served. */
  readonly costs: readonly CostRow[];
  readonly latest: readonly LatestRow[];
  /** Those that have facts, in the order of {@link sectionTitles}. */
  readonly sections: readonly Section[];
  /** The worst first. */
  readonly findings: readonly Finding[];
}
