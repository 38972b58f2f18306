// Options under `overlay:`, which a hook may also return for a request, and the location of the overlay
// image.

import { z } from "zod";
import { pathOption, plainSegments } from "../../../base/index.ts";
import { anchorNames, fits } from "../../../imaging/index.ts";

const distance = z.int().min(0).max(65535);

const layout = {
  anchor: z.enum(anchorNames).meta({
    description: "Corner, edge or middle of the derivative where the overlay lies.",
    edit: "restart",
  }),
  offset: z.tuple([distance, distance]).meta({
    description:
      "Pixels of the derivative between the overlay and the edges that `anchor` names, across and down. An offset does not count on an axis on which the overlay is centred.",
    edit: "restart",
  }),
  fit: z.enum(fits).meta({
    description:
      "`shrink`: the overlay has its own size, or a smaller one if it does not fit into the derivative without the offsets. `scale`: it is as large as fits. `tile`: it has its own size and is repeated over the whole derivative.",
    edit: "restart",
  }),
  opacity: z.number().min(0).max(1).meta({
    description: "Opacity from 0 to 1, multiplied with the overlay's own.",
    edit: "restart",
  }),
  min_size: z.int().min(0).max(65535).meta({
    description: "Derivatives with a side of fewer pixels have no overlay. 0: all have it.",
    edit: "restart",
  }),
} as const;

const usual = { anchor: "bottom-right", offset: [16, 16], fit: "shrink", opacity: 0.6, min_size: 0 } as const;

/** Schema of `overlay:`. */
export const overlayOptions = z.strictObject({
  image: z.string().default("").meta({
    description:
      "Picture to put on every derivative: a file, relative to the configuration file, or `source:key` for a file in a source. While it is missing or broken, the service sends no images. Empty: none.",
    edit: "restart",
    form: "picture",
  }),
  folder: pathOption.default(".").meta({
    description: "Folder for the file names that a hook returns; they cannot lead out of it.",
    edit: "restart",
  }),
  anchor: layout.anchor.default(usual.anchor),
  offset: layout.offset.default([...usual.offset]),
  fit: layout.fit.default(usual.fit),
  opacity: layout.opacity.default(usual.opacity),
  min_size: layout.min_size.default(usual.min_size),
});

export type OverlayOptions = z.output<typeof overlayOptions>;

/** Settings of the overlay of a derivative. */
export type OverlaySettings = Omit<OverlayOptions, "folder">;

const result = z.strictObject({ image: z.string().max(8192), ...layout }).partial();

/**
 * Schema of a hook's result for a request. Missing settings, or null, mean the configured ones; an empty
 * `image`, or `false` as the whole result, means no overlay.
 */
export const overlayResult = z.preprocess(
  (value) =>
    typeof value === "object" && value !== null && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).filter(([, member]) => member !== null))
      : value,
  z.union([z.literal(false), result], {
    error: "expected overlay settings such as { image, opacity }, or false for no overlay",
  }),
);

/**
 * Returns the settings of a hook's result merged with the configured ones; undefined if there is no overlay.
 * Throws an Error that describes what is wrong with the result.
 */
export function overlaySettingsOf(
  said: unknown,
  { folder, ...configured }: OverlayOptions,
): OverlaySettings | undefined {
  const { success, data, error } = overlayResult.safeParse(said);
  if (!success) {
    const [{ path, message } = { path: [], message: "" }] = error.issues;
    throw new Error(`${path.length > 0 ? `${path.join(".")}: ` : ""}${message}`);
  }
  // The result is JSON, so missing settings are absent, never undefined.
  const settings = data === false ? undefined : { ...configured, ...(data as Partial<OverlaySettings>) };
  if (!settings?.image || data === false) return undefined;
  if (data.image === undefined || !("path" in locationOfOverlay(data.image))) return settings;
  // A hook can only name files in `folder`.
  if (!plainSegments(data.image))
    throw new Error("image: expected a file below overlay.folder, or source:key");
  return { ...settings, image: `${folder}/${data.image}` };
}

/** Location of an overlay image: in a source, or at a path. */
export type OverlayLocation = { readonly source: string; readonly key: string } | { readonly path: string };

/** Parses `source:key`; anything else is a path. A drive letter is not a source. */
export function locationOfOverlay(name: string): OverlayLocation {
  const [, source, key] = /^([A-Za-z0-9][A-Za-z0-9._-]*):(?![/\\])(.+)$/s.exec(name) ?? [];
  return source !== undefined && key !== undefined ? { source, key } : { path: name };
}
