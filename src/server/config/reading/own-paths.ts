// Warns if `base_url` ends in a path of the service itself, which ids would then contain twice.

import { doubtAt, type Finding, parseUrl } from "../../../base/index.ts";
import { reservedSegments } from "../aliases.ts";
import type { Config } from "../schema.ts";

/** Segments after `iiif` that begin a path of an API. */
const apis: ReadonlySet<string> = new Set(["2", "3", "presentation", "auth", "image"]);

/** Returns a warning about `base_url` if it looks like the address of an API, a page or an image. */
export function ownPathWarnings({ base_url, aliases }: Pick<Config, "base_url" | "aliases">): Finding[] {
  const segments = (parseUrl(base_url)?.pathname ?? "").split("/").filter((part) => part !== "");
  const own = ownPath(
    segments,
    aliases.map(({ prefix }) => prefix),
  );
  if (own === undefined) return [];
  const before = base_url.replace(/\/+$/, "").slice(0, -own.length);
  return [
    doubtAt(
      ["base_url"],
      `ends in ${own}, a path of the service itself, so ids begin with ${before}${own}/iiif/; write ${before}, unless a proxy passes requests below ${own} on without it`,
    ),
  ];
}

/** Returns the end of a path that is one of the service itself, beginning with a /. */
function ownPath(segments: readonly string[], aliases: readonly string[]): string | undefined {
  const path = segments.map((part) => `/${part}`).join("");
  const alias = aliases.map((prefix) => prefix.slice(0, -1)).find((prefix) => path.endsWith(prefix));
  const last = segments.length - 1;
  const from = segments.findIndex((part, at) =>
    part === "iiif"
      ? at === last || apis.has(segments[at + 1] as string)
      : at === last && reservedSegments.has(part),
  );
  if (from < 0) return alias;
  return segments
    .slice(from)
    .map((part) => `/${part}`)
    .join("");
}
