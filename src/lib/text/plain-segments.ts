// Names made of parts joined by slashes, such as identifiers and keys: none may lead out of where it is looked up.

/**
 * The parts of a decoded name. Undefined where one is empty, `.`, `..` or a drive letter (`C:`), or where the name holds
 * NUL or a backslash.
 */
export function plainSegments(name: string): readonly string[] | undefined {
  const segments = name.split("/");
  const leads = (segment: string) =>
    segment === "" || segment === "." || segment === ".." || /^[a-z]:$/i.test(segment);
  return /[\0\\]/.test(name) || segments.some(leads) ? undefined : segments;
}
