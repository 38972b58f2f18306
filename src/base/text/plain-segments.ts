// Names of parts separated by slashes, such as identifiers and keys: none may lead outside of its folder.

/**
 * Returns the parts of a decoded name. Returns undefined if one is empty, `.`, `..` or a drive letter (`C:`),
 * or if the name contains NUL or a backslash.
 */
export function plainSegments(name: string): readonly string[] | undefined {
  const segments = name.split("/");
  const isUnsafe = (segment: string) =>
    segment === "" || segment === "." || segment === ".." || /^[a-z]:$/i.test(segment);
  return /[\0\\]/.test(name) || segments.some(isUnsafe) ? undefined : segments;
}
