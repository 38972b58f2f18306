// The text of /robots.txt (RFC 9309).

import type { RobotsOptions } from "./options.ts";

/** The addresses that rules name. */
export interface RobotsPaths {
  /** Path of the public URL, without a slash at its end; "" if the service has a host for itself. */
  readonly base: string;
  /** Prefixes of the Image API, with a slash at their ends. */
  readonly images: readonly string[];
  /** Prefix of downloads, with a slash at its end. */
  readonly downloads: string;
}

/**
 * Returns the text. `agents`: names of crawlers that may fetch nothing; `comments`: lines at its beginning.
 * Paths contain the base, so that the text is also right as that of the host around the service.
 */
export function robotsText(
  { allow, lines }: Pick<RobotsOptions, "allow" | "lines">,
  paths: RobotsPaths,
  agents: readonly string[],
  comments: readonly string[],
): string {
  const nothing = `Disallow: ${paths.base}/`;
  // Old parsers take the first group that fits, so that the group of all is the last one.
  const refused = agents.length > 0 ? [...agents.map((name) => `User-agent: ${name}`), nothing, ""] : [];
  const rules = allow === "nothing" ? [nothing] : rulesOf(allow, paths);
  return [...comments.map((line) => `# ${line}`), ...refused, "User-agent: *", ...rules, ...lines, ""].join(
    "\n",
  );
}

/** The sizes of a whole image at its full size in all versions of the Image API. */
const fullSizes = ["max", "^max", "full", "pct:100"];

/** Rules of allowances; the longest pattern that fits a path decides (RFC 9309, section 2.2.2). */
function rulesOf(
  allow: Exclude<RobotsOptions["allow"], "nothing">,
  { base, images, downloads }: RobotsPaths,
): string[] {
  if (allow === "all") return [`Allow: ${base}/`];
  const prefixes = images.map((prefix) => base + prefix);
  if (allow === "pages")
    return [
      ...prefixes.flatMap((prefix) => [`Allow: ${prefix}*/info.json$`, `Disallow: ${prefix}`]),
      `Disallow: ${base}${downloads}`,
    ];
  const whole = prefixes.flatMap((prefix) => fullSizes.map((size) => `Disallow: ${prefix}*/full/${size}/`));
  if (allow === "tiles") return whole;
  // Regions have three commas (Image API 3.0, section 4.1).
  const parts = prefixes.map((prefix) => `Disallow: ${prefix}*,*,*,*/`);
  return [...whole, ...parts, `Disallow: ${base}${downloads}`];
}
