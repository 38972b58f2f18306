// The addresses of whole items as one file, which no other file spells out.

import { encodeSegments } from "./presentation/mounts.ts";

/** Kinds of files that a manifest can be downloaded as. */
export const downloadKinds = ["pdf", "zip"] as const;

export type DownloadKind = (typeof downloadKinds)[number];

/** The path that all downloads are below, with a / at its end. */
export const downloadsPath = "/iiif/download/";

/** Returns the path that the downloads of a kind are below, with a / at its end. */
export const downloadPath = (kind: DownloadKind): string => `${downloadsPath}${kind}/`;

/**
 * Returns the address of a manifest as a file, by the manifest's identifier. `base`: the public URL of the
 * service, without a trailing /.
 */
export const downloadAddress = (base: string, kind: DownloadKind, id: string): string =>
  base + downloadPath(kind) + encodeSegments(id);
