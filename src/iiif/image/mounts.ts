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

/** All mounts, those with the longest prefixes first. */
export function imageMounts(aliases: readonly Mount[]): readonly Mount[] {
  return [...mainMounts, ...aliases].sort((a, b) => b.prefix.length - a.prefix.length);
}

/** The first mount whose prefix a raw path begins with. */
export function mountOf(mounts: readonly Mount[], path: string): Mount | undefined {
  return mounts.find(({ prefix }) => path.startsWith(prefix));
}
