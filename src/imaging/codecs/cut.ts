// Files that end early, found from a few bytes of each: nothing is decoded. A sound file with more after its
// picture, such as another picture, is not one of them.

import type { ByteSource } from "../../base/index.ts";
import type { ImageHeader } from "./image-header.ts";

/** `picture`: a part of the picture is missing. `rest`: something behind it, such as a second picture. */
export type Cut = "picture" | "rest";

/** A file whose length is known. */
export type SizedSource = ByteSource & { readonly size: number };

/**
 * Returns what is missing at the end of a file; undefined if nothing is, or if that cannot be told from a few
 * reads. Throws what the source throws.
 */
export type FindCut = (bytes: SizedSource, header: ImageHeader) => Promise<Cut | undefined>;
