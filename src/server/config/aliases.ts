// Additional paths of the Image API: plain prefixes that do not conflict with the service's own paths.

import { z } from "zod";

/** First segments of the service's own paths, or of those reserved for it. */
export const reservedSegments: ReadonlySet<string> = new Set([
  "iiif",
  "health",
  "ready",
  "metrics",
  "static",
  "admin",
  "view",
  "mcp",
  "content-state",
  "auth",
  "s",
  "robots.txt",
  "favicon.ico",
]);

/**
 * Characters that a path segment may contain unencoded (RFC 3986, section 3.3), except `*`, which robots.txt
 * treats as a pattern.
 */
const segmentForm = /^[A-Za-z0-9._~!$&'()+,;=:@-]+$/;

/** Returns what is wrong with a prefix and what to do, or undefined. */
function problemOf(prefix: string): string | undefined {
  const segments = prefix.split("/").slice(1, -1);
  const [first = ""] = segments;
  if (!prefix.startsWith("/") || !prefix.endsWith("/") || prefix === "/" || segments.includes(""))
    return "expected a path that begins and ends with /, with single slashes, such as /cantaloupe/iiif/2/";
  if (segments.includes(".") || segments.includes(".."))
    return "expected a path without . and .. segments, which clients resolve first; write the resolved path";
  if (!segments.every((segment) => segmentForm.test(segment)))
    return "expected a plain path, since it is compared as it is and not as a pattern; use letters, digits and any of - . _ ~ ! $ & ' ( ) + , ; = : @ between the slashes";
  if (reservedSegments.has(first))
    return `expected another path; /${first} belongs to the service: choose another first segment`;
  return undefined;
}

const alias = z.strictObject({
  prefix: z
    .string({ error: "expected a path such as /cantaloupe/iiif/2/" })
    .superRefine((prefix, context) => {
      const message = problemOf(prefix);
      if (message) context.addIssue({ code: "custom", message, input: prefix });
    })
    .meta({
      description:
        "Another path of the Image API: plain text that begins and ends with `/`, matched literally. It cannot be a path of the service itself, such as `/iiif/` and `/static/`.",
    }),
  version: z.literal([2, 3]).meta({ description: "Version of the Image API under this path." }),
});

/** The list of aliases, with unique prefixes. */
export const aliasesOption = z.array(alias).superRefine((aliases, context) => {
  aliases.forEach(({ prefix }, at) => {
    const earlier = aliases.findIndex((other) => other.prefix === prefix);
    if (earlier < at)
      context.addIssue({
        code: "custom",
        path: [at, "prefix"],
        message: `expected each prefix once, and aliases.${earlier} already has this one; remove one of the two`,
        input: prefix,
      });
  });
});
