// Options under `image:`: limits, tiles, memory and the encoding of derivatives.

import { z } from "zod";
import { durationOption, parseSize, sizeOption } from "../../base/index.ts";
import { optInFormats, writtenFormats } from "../../imaging/index.ts";

const pixels = (doc: string) =>
  z.int().min(0).max(Number.MAX_SAFE_INTEGER).default(0).meta({ description: doc, edit: "restart" });

/** Values of `image.sharpen: on`. */
const usualSharpening = { radius: 0.6, amount: 0.5, threshold: 2 };

const writtenNames = Object.keys(writtenFormats);

/** Schema of `image:`. */
export const imageOptions = z.strictObject({
  max_pixel_area: z.int().min(0).default(1_000_000_000).meta({
    description:
      "Largest area of a master in pixels; above it info.json and images are 400. A TIFF with stored tiles and levels may be larger, as a slide is. 0: no limit.",
    edit: "live",
    env: "SERVICE_MAX_PIXEL_AREA",
  }),
  max_output_area: pixels(
    "Largest area that a request may ask for in pixels, advertised as maxArea. 0: no limit.",
  ),
  max_output_width: pixels(
    "Largest width that a request may ask for in pixels, advertised as maxWidth. 0: no limit.",
  ),
  max_output_height: pixels(
    "Largest height that a request may ask for in pixels, advertised as maxHeight, with which the standard requires max_output_width. 0: only max_output_width limits.",
  ),
  tile_size: z.int().min(64).max(8192).default(512).meta({
    description: "Side of the square tiles that info.json advertises, in pixels.",
    edit: "restart",
  }),
  max_concurrent: z.int().min(0).max(1024).default(0).meta({
    description:
      "Renders that run at the same time. For each of them 256 cheap and 256 heavy ones may wait; above that the response is 503, code queue_full. If more than one may run, heavy renders never take all. Probes for info.json have a separate limit of the same size. 0: the number of processors, and 2 if there is only one, so that a cheap render need not wait until a heavy one ends.",
    edit: "live",
  }),
  memory_budget: z
    .union([z.literal(""), sizeOption])
    .default("")
    .meta({
      description:
        "Memory that all renders together may need, by the estimates of the service. Empty: a quarter of the machine's or container's memory, at most 2 GiB.",
      edit: "restart",
    }),
  timeout: durationOption.default("60s").meta({
    description:
      "How long one render may take. If it takes longer, the response is 503, code render_timeout, and the service replaces the worker; the same read is then refused for as long as it took, and for twice as long each time.",
    edit: "restart",
  }),
  metadata: z.enum(["strip", "preserve"]).default("strip").meta({
    description:
      "`strip`: derivatives have no EXIF, XMP and IPTC, and their pixels are upright. `preserve`: derivatives embed these metadata; pixels and info.json are as stored, and EXIF contains the orientation.",
    edit: "restart",
  }),
  color: z.enum(["", "srgb", "respect-icc"]).default("").meta({
    description:
      "`srgb`: the service converts colours to sRGB and embeds the sRGB profile. `respect-icc`: colours stay as they are, with the profile that the master embeds; CMYK is converted to sRGB anyway. Empty: `srgb` if metadata is stripped, `respect-icc` if it is preserved.",
    edit: "restart",
  }),
  depth: z.enum(["8", "source"]).default("8").meta({
    description:
      "Bits per sample of derivatives: 8, or as many as the master has if the format can hold them (png, tif).",
    edit: "restart",
  }),
  sharpen: z
    .union([
      z.enum(["off", "on"]),
      z.strictObject({
        radius: z.number().min(0.1).max(10).default(usualSharpening.radius).meta({
          description: "Standard deviation of the blur, in pixels of the derivative.",
          edit: "restart",
        }),
        amount: z.number().min(0).max(10).default(usualSharpening.amount).meta({
          description: "Share of the difference from the blurred pixels that the mask adds.",
          edit: "restart",
        }),
        threshold: z.number().min(0).max(255).default(usualSharpening.threshold).meta({
          description: "Differences below this, in levels of 0 to 255, are not sharpened.",
          edit: "restart",
        }),
      }),
    ])
    .default("off")
    .meta({
      description:
        "Unsharp mask on the luma of derivatives that are smaller than their region. `on` means radius 0.6, amount 0.5, threshold 2; to set other values, write these three keys instead.",
      edit: "restart",
    }),
  supersample: z
    .union([z.literal("off"), z.literal([0, 2, 4])])
    .default("off")
    .transform((times) => (times === 0 ? "off" : times))
    .meta({
      description:
        "For regions reduced by exactly a power of two: decode at this many times the usual size (at most at full size), and resample. This switches lossless crops off.",
      edit: "restart",
    }),
  linear: z.enum(["off", "on"]).default("off").meta({
    description:
      "Reduce in linear light: decoders deliver four times the size of the derivative, and the service then averages light instead of sRGB values.",
    edit: "restart",
  }),
  window: z
    .union([
      z.literal("off"),
      z
        .strictObject({
          low: z.number().min(0).max(100).default(0.5).meta({
            description: "Percentile that becomes black.",
            edit: "restart",
          }),
          high: z.number().min(0).max(100).default(99.5).meta({
            description: "Percentile that becomes white; it has to be above `low`.",
            edit: "restart",
          }),
        })
        .refine(({ low, high }) => low < high, { error: "expected low below high" }),
    ])
    .default("off")
    .meta({
      description:
        "For TIFF masters of more than 8 bits, gray or RGB without alpha: show the range between two percentiles of the image's own values instead of the whole range of the sample type.",
      edit: "restart",
    }),
  background: z
    .string()
    .regex(/^#[0-9a-fA-F]{6}$/, "expected a colour as #rrggbb")
    .default("#ffffff")
    .meta({
      description:
        "Colour behind transparent pixels and in the corners of rotated images, in formats without alpha.",
      edit: "restart",
    }),
  formats: z
    .array(z.enum(optInFormats, { error: `expected names of formats: ${optInFormats.join(", ")}` }))
    .default([])
    .meta({
      description:
        "Formats that are written besides JPEG, PNG, TIFF and WebP, and advertised in info.json: `avif`; `jxl`, JPEG XL with the coefficients of a JPEG, of which lossless crops lose nothing more, in a seventh fewer bytes.",
      edit: "restart",
    }),
  preferred_formats: z
    .array(z.enum(writtenNames, { error: `expected names of formats: ${writtenNames.join(", ")}` }))
    .min(1)
    .default(["jpg"])
    .meta({
      description:
        "`preferredFormats` of info.json 3.0, in order: viewers that heed it ask for the first one that they show. Formats of `image.formats` have to be named there too.",
      edit: "restart",
    }),
  jpeg_quality: z
    .int()
    .min(1)
    .max(100)
    .default(90)
    .meta({ description: "Quality of JPEG derivatives.", edit: "restart" }),
  jpeg_progressive: z
    .boolean()
    .default(false)
    .meta({ description: "Write progressive JPEG.", edit: "restart" }),
  jpeg_encoder: z.enum(["fast", "small"]).default("fast").meta({
    description: "`fast`: the quick JPEG encoder. `small`: the one that writes the smallest files.",
    edit: "restart",
  }),
  jpeg_chroma: z.enum(["420", "444"]).default("420").meta({
    description: "Chroma sampling of JPEG derivatives: `420` halves it both ways, `444` is full.",
    edit: "restart",
  }),
  jpeg_passthrough: z.enum(["auto", "off"]).default("auto").meta({
    description:
      "`auto`: crop tiles of JPEG masters, and join stored JPEG tiles of TIFF masters, losslessly if the request needs nothing more and the result is not much larger than an encoded tile. `off`: decode and encode all tiles.",
    edit: "restart",
  }),
  jp2_effort: z.enum(["full", "visual"]).default("full").meta({
    description:
      "`full`: decode JPEG 2000 masters completely. `visual`: leave out the lowest bit-planes if the response is JPEG or WebP. Tiles take up to half the time, and most samples of 8 bits differ by a few levels at most. HTJ2K masters are always decoded in full.",
    edit: "restart",
  }),
  webp_quality: z
    .int()
    .min(1)
    .max(100)
    .default(80)
    .meta({ description: "Quality of WebP derivatives.", edit: "restart" }),
  avif_quality: z.int().min(1).max(100).default(65).meta({
    description: "Quality of AVIF derivatives. 65 looks like WebP of quality 80.",
    edit: "restart",
  }),
});

export type ImageOptions = z.output<typeof imageOptions>;

/**
 * Upper limit of the default memory budget in bytes, even on large machines: a response that needs more would
 * take minutes.
 */
const maxByDefault = 2 * 2 ** 30;

/**
 * Returns the maximum of estimated bytes of all renders together, on a machine with `machine` bytes of
 * memory.
 */
export function memoryBudget(options: ImageOptions, machine: number): number {
  const written = options.memory_budget;
  return written === "" ? Math.min(Math.floor(machine / 4), maxByDefault) : parseSize(written);
}

/** Shares of the memory budget for sidecars in the main thread, and for parsed files in all workers. */
export const cacheShares = { sidecars: 1 / 8, workers: 1 / 8 } as const;

/**
 * Returns the number of simultaneous renders on a platform with that many processors. `apart`: true if each
 * has its own thread, so that two of them can share a single processor.
 */
export function rendersAtOnce(
  { max_concurrent }: Pick<ImageOptions, "max_concurrent">,
  processors: number,
  apart: boolean,
): number {
  return max_concurrent || (apart ? Math.max(2, processors) : processors);
}

/** Parses `#rrggbb` into three numbers from 0 to 255. */
export function parseColour(text: string): readonly [number, number, number] {
  const n = Number.parseInt(text.slice(1), 16);
  return [(n >> 16) & 255, (n >> 8) & 255, n & 255];
}

/** Returns the sharpening of reduced derivatives; undefined if there is none. */
export function sharpening({ sharpen }: ImageOptions): typeof usualSharpening | undefined {
  if (sharpen === "off") return undefined;
  return sharpen === "on" ? usualSharpening : sharpen;
}
