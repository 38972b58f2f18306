// The options under `robots:`.

import { z } from "zod";
import { pathOption } from "../../../base/index.ts";

/** What crawlers may fetch; each word allows what the words before it do, and what it names. */
export const robotsAllowances = ["nothing", "pages", "sizes", "tiles", "all"] as const;

const maxLines = 50;
const maxLine = 1000;
const maxHeaders = 20;
const maxHeaderName = 64;
const maxHeaderValue = 1000;

const lineForm = `expected a line of at most ${maxLine} characters without line breaks and control characters, such as "Content-Signal: search=yes, ai-train=no"`;
// A lone surrogate is no character, and cannot be written as UTF-8.
const isLine = (text: string) =>
  text.length <= maxLine && text.trim() !== "" && !/[\p{Cc}\p{Cs}\u2028\u2029]/u.test(text);

/** Fields that the service, the server under it, or a proxy sets (RFC 9110, RFC 9112, Fetch). */
const ownHeaders =
  /^(?:accept-ranges|access-control-.+|age|allow|alt-svc|cache-control|cache-status|clear-site-data|connection|content-.+|cross-origin-.+|date|etag|expires|keep-alive|last-modified|link|location|proxy-.+|refresh|referrer-policy|retry-after|server-timing|set-cookie2?|strict-transport-security|te|timing-allow-origin|trailer|transfer-encoding|upgrade|vary|www-authenticate|x-accel-.+|x-content-type-options|x-damaged-master|x-frame-options|x-ignored-.+|x-request-id)$/i;

/** Returns what is wrong with a header, or undefined. */
function headerFault(name: string, value: string): string | undefined {
  // RFC 9110, section 5.6.2.
  if (name.length > maxHeaderName || !/^[\w!#$%&'*+.^`|~-]+$/.test(name))
    return `expected the name of a header, of at most ${maxHeaderName} letters, digits and hyphens, such as tdm-reservation`;
  if (ownHeaders.test(name))
    return `expected another header; the service, or the proxy in front of it, sets ${name} by itself`;
  if (value.length > maxHeaderValue || !/^[\x21-\x7e](?:[\t\x20-\x7e]*[\x21-\x7e])?$/.test(value))
    return `expected a value of at most ${maxHeaderValue} printable characters of ASCII, without spaces around it`;
  return undefined;
}

const headers = z.record(z.string(), z.string()).superRefine((fields, context) => {
  const refuse = (path: string[], message: string) => context.addIssue({ code: "custom", path, message });
  const names = Object.keys(fields);
  if (names.length > maxHeaders) refuse([], `expected at most ${maxHeaders} headers`);
  names.forEach((name, at) => {
    const fault = headerFault(name, fields[name] as string);
    if (fault) refuse([name], fault);
    const same = names.findIndex((other) => other.toLowerCase() === name.toLowerCase());
    if (same < at) refuse([name], `expected each header once, and ${names[same]} is the same`);
  });
});

/** Schema of `robots:`. */
export const robotsOptions = z.strictObject({
  allow: z.enum(robotsAllowances).default("tiles").meta({
    description:
      "What `/robots.txt` allows all crawlers to fetch. `nothing`. `pages`: pages and documents, but no images. `sizes`: also whole images at explicit sizes, such as thumbnails. `tiles`: also parts of images, and downloads. `all`: also whole images at full size.",
    edit: "live",
  }),
  agents_file: pathOption.default("").meta({
    description:
      "File of the crawlers that may fetch nothing: the `robots.json` of ai.robots.txt, or a name in each line. The service reads it again when it changes.",
    edit: "restart",
  }),
  lines: z
    .array(z.string({ error: lineForm }).refine(isLine, { error: lineForm }))
    .max(maxLines)
    .default([])
    .meta({
      description:
        "Lines at the end of `/robots.txt`, in the group of all crawlers, such as `Content-Signal: search=yes, ai-train=no` or `Sitemap: https://…`.",
      edit: "live",
    }),
  headers: headers.default({}).meta({
    description:
      "Headers of images, documents and pages, such as `X-Robots-Tag: noai` or `tdm-reservation: 1`; none that the service sets by itself.",
    edit: "live",
  }),
});

export type RobotsOptions = z.output<typeof robotsOptions>;
