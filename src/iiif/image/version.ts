// Definition of a version of the Image API: what it accepts, and what image information says about it.

import type { Quality } from "./request.ts";

/**
 * `advertised`: listed in info.json; `implied`: part of the compliance level; `silent`: supported but not
 * announced.
 */
export type Mark = "advertised" | "implied" | "silent";

export type RegionForm = "full" | "square" | "x,y,w,h" | "pct:x,y,w,h";
export type SizeToken = "max" | "full" | "w,h" | "w," | ",h" | "pct:n" | "!w,h";

/**
 * What a version accepts and announces. The feature of a form is a key of `features`, or "base" if every
 * server has it.
 */
export interface ImageVersion {
  readonly version: 2 | 3;
  readonly context: string;
  /** URI of the compliance level, also for the Link header. */
  readonly level: string;
  readonly regions: Readonly<Partial<Record<RegionForm, string>>>;
  readonly sizes: Readonly<Partial<Record<SizeToken, string>>>;
  /** The feature of the `^` prefix; absent if the version has none. */
  readonly upscaling?: string;
  readonly rotation: {
    /** True if 360 is in range; it means 0. */
    readonly fullTurn: boolean;
    readonly quarters: string;
    readonly arbitrary: string;
    readonly mirror: string;
  };
  readonly qualities: Readonly<Record<string, { readonly means: Quality; readonly mark: Mark }>>;
  /** Formats that image information need not list. */
  readonly impliedFormats: readonly string[];
  readonly features: Readonly<Record<string, Mark>>;
}
