// Which addresses are for everybody, crawlers included: images, documents and pages. All others are for the
// operator and for machines, or say what crawlers may do.

/** Paths, and beginnings of paths with a slash at their ends. */
const others = [
  "/robots.txt",
  "/.well-known/",
  "/admin",
  "/admin/",
  "/health",
  "/ready",
  "/metrics",
  "/favicon.ico",
  "/static/",
] as const;

/** True if an image, a document or a page may be at a path. */
export const isOpenPath = (path: string): boolean =>
  !others.some((other) => (other.endsWith("/") ? path.startsWith(other) : path === other));
