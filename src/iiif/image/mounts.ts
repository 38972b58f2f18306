// The paths of the Image API, one for each version and the operator's aliases, and the addresses of images
// below them. No other file contains them.

import { encodeIdentifier } from "./path.ts";

/** Path of one version; begins and ends with `/`. */
export interface Mount {
  readonly prefix: string;
  readonly version: 2 | 3;
}

/** Common prefix of the main paths of all versions. */
export const commonPrefix = "/iiif/";

/** Main path of a version; begins and ends with `/`. */
export const mainPrefix: Readonly<Record<Mount["version"], string>> = { 2: "/iiif/2/", 3: "/iiif/3/" };

/** The mounts of every service, the preferred one first. */
export const mainMounts: readonly Mount[] = [
  { prefix: mainPrefix[3], version: 3 },
  { prefix: mainPrefix[2], version: 2 },
];

/** Returns all mounts, those with the longest prefixes first. */
export function imageMounts(aliases: readonly Mount[]): readonly Mount[] {
  return [...mainMounts, ...aliases].sort((a, b) => b.prefix.length - a.prefix.length);
}

/**
 * Returns the address of an image below a prefix, which may begin with the public URL of the service: the
 * base URI of its image service (Image API 3.0, section 2). Parameters and `info.json` follow after a `/`.
 */
export function imageAddress(prefix: string, identifier: string): string {
  return prefix + encodeIdentifier(identifier);
}

/** Form of an image information address, for people. */
export const addressForm = `${mainPrefix[3]}{identifier}/info.json`;
