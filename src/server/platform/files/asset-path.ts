// Which relative paths may name a file of static/.

/** True if a path names a file below its root: no empty, `.` or `..` segment, no backslash, no NUL. */
export function isAssetPath(path: string): boolean {
  return (
    !path.includes("\\") &&
    !path.includes("\0") &&
    path.split("/").every((segment) => segment !== "" && segment !== "." && segment !== "..")
  );
}
