// A parsed image request, in one form for Image API 3.0 (section 4) and 2.1 (section 4).

/** An exact non-negative decimal number: `digits / scale`, `scale` a power of ten. */
export interface Decimal {
  readonly digits: bigint;
  readonly scale: bigint;
}

/** Part of the upright image. Pixels are safe integers; percentages are of width and height. */
export type RegionRequest =
  | { readonly kind: "full" }
  | { readonly kind: "square" }
  | {
      readonly kind: "pixels";
      readonly x: number;
      readonly y: number;
      readonly width: number;
      readonly height: number;
    }
  | {
      readonly kind: "percent";
      readonly x: Decimal;
      readonly y: Decimal;
      readonly width: Decimal;
      readonly height: Decimal;
    };

/** Requested size of the region; `upscale` is the `^` of version 3 and never set in version 2. */
export type SizeRequest = { readonly upscale: boolean } & SizeForm;

export type SizeForm =
  | { readonly kind: "max" }
  | { readonly kind: "width"; readonly width: number }
  | { readonly kind: "height"; readonly height: number }
  | { readonly kind: "percent"; readonly percent: Decimal }
  | { readonly kind: "exact"; readonly width: number; readonly height: number }
  | { readonly kind: "confined"; readonly width: number; readonly height: number };

/** Mirrored first, then turned clockwise; `degrees` is from 0 to below 360, in steps of a millionth. */
export interface Rotation {
  readonly mirror: boolean;
  readonly degrees: number;
}

export type Quality = "default" | "color" | "gray" | "bitonal";

export interface ImageRequest {
  readonly version: 2 | 3;
  readonly region: RegionRequest;
  readonly size: SizeRequest;
  readonly rotation: Rotation;
  readonly quality: Quality;
  /** Name in the {@link Formats} of the caller. */
  readonly format: string;
}

/** The parameters of a request that viewers send, besides region and size. */
export const usualRequest = {
  version: 3,
  rotation: { mirror: false, degrees: 0 },
  quality: "default",
  format: "jpg",
} as const;
