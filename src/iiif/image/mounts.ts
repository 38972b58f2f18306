// The paths under which the Image API answers: one for each version, and the operator's aliases.

/** A path under which one version answers; begins and ends with `/`. */
export interface Mount {
  readonly prefix: string;
  readonly version: 2 | 3;
}

const mainMounts: readonly Mount[] = [
  { prefix: "/iiif/3/", version: 3 },
  { prefix: "/iiif/2/", version: 2 },
];

/** All mounts; of two that fit the same path the first counts. */
export function imageMounts(aliases: readonly Mount[]): readonly Mount[] {
  return [...mainMounts, ...aliases].sort((a, b) => b.prefix.length - a.prefix.length);
}
