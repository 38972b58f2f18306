// A diagnosis of one image: facts in sections, and findings with advice.

import type { Finding } from "../../base/index.ts";

/** Plain data: sizes as `{ width, height }`, times in milliseconds, lengths in bytes. */
export type FactValue =
  | string
  | number
  | boolean
  | readonly FactValue[]
  | { readonly [name: string]: FactValue };

export interface Fact {
  /** Stable name for programs. */
  readonly name: string;
  readonly label: string;
  readonly value: FactValue;
  /** Value for people, with its unit. */
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
  /** At least one fact. */
  readonly facts: readonly Fact[];
}

/** Cost of a derivative of the image: a tile of a level, or the whole image. */
export interface CostRow {
  readonly what: "tile" | "whole";
  /** Pixels of the image per pixel of the derivative, along each axis. */
  readonly scale: number;
  /** `region/size/rotation/quality.format`. */
  readonly request: string;
  /** Absent if the derivative is refused. */
  readonly expected?: {
    readonly ms: number;
    /** Peak bytes. */
    readonly memory: number;
    /** Number of decoded pixels of the master. */
    readonly decoded: number;
  };
  readonly refused?: string;
  /** Milliseconds of a render for this diagnosis, including waiting. */
  readonly measuredMs?: number;
}

/** The latest render of the whole image, or of a part of it, for a request to this process. */
export interface LatestRow {
  /** `region/size/rotation/quality.format`. */
  readonly request: string;
  readonly expectedMs: number;
  readonly ms: number;
  /** Bytes that it was admitted with. */
  readonly memory: number;
  /** Time at which it ended, ISO 8601. */
  readonly at: string;
}

export interface Diagnosis {
  readonly identifier: string;
  /** True if a source has the image. */
  readonly found: boolean;
  /** If not: the identifier of an image with a similar name. */
  readonly near?: string;
  /** Rows of the section `costs`; empty if the image cannot be served. */
  readonly costs: readonly CostRow[];
  readonly latest: readonly LatestRow[];
  /** Sections with facts, in the order of {@link sectionTitles}. */
  readonly sections: readonly Section[];
  /** Findings, the most severe first. */
  readonly findings: readonly Finding[];
}
