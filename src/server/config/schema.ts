// The schema of the configuration: types, defaults, validation, the reference page and the JSON Schema derive
// from it.

import { z } from "zod";
import { durationOption, isServiceUrl, parseDuration, parseUrl, rangeOption } from "../../base/index.ts";
import { formatsWith } from "../../imaging/index.ts";
import { linkOptions } from "../access/links/options.ts";
import { adminOptions } from "../access/operators/options.ts";
import { authOptions } from "../access/options.ts";
import { contentStateOptions } from "../bookmarks/options.ts";
import { hookOptions } from "../hooks/options.ts";
import { imageOptions } from "../images/options.ts";
import { overlayOptions } from "../images/overlay/options.ts";
import { presentationOptions } from "../manifests/options.ts";
import { searchOptions } from "../manifests/source-texts/opensearch/options.ts";
import { errorOptions } from "../reports/options.ts";
import { sourceOptions } from "../sources/options.ts";
import { cacheOptions } from "../stores/options.ts";
import { tracingOptions } from "../tracing/options.ts";
import { crawlerOptions } from "../visitors/options.ts";
import { robotsOptions } from "../visitors/robots/options.ts";
import { parseAddress } from "./address.ts";
import { aliasesOption } from "./aliases.ts";
import { mcpOptions } from "./mcp.ts";
import { type SchemaNode, treeOf } from "./walk.ts";

/**
 * `edit`: whether a change applies immediately (SIGHUP, admin editor) or at the next start, for the key and
 * everything below it; default: `restart`. A live setting may refuse a request but never changes a response:
 * `Last-Modified` relies on that. `env`: the variable that overrides the file. `secret`: the key and
 * everything below it is hidden.
 */
export interface OptionMeta {
  readonly description: string;
  readonly edit: "live" | "restart";
  readonly env?: string;
  readonly secret?: boolean;
}

const option = <T extends z.ZodType>(schema: T, meta: OptionMeta) => schema.meta({ ...meta });

const throwsNot = (check: (text: string) => unknown) => (text: string) => {
  try {
    check(text);
    return true;
  } catch {
    return false;
  }
};

const addressForm = "expected an address such as :8080, 127.0.0.1:8080 or [::1]:8080";
const urlForm =
  "expected an http or https URL without query and fragment, such as https://images.example.org/iiif-server";

const framingForm = "expected *, self, or an origin such as https://www.example.org or https://*.example.org";
const isFraming = (text: string) => /^(\*|self|https?:\/\/(\*\.)?[a-z0-9.-]+(:(\d+|\*))?)$/i.test(text);

const keepAliveOption = durationOption.refine(
  (text) =>
    !throwsNot(parseDuration)(text) || (parseDuration(text) >= 1000 && parseDuration(text) <= 3_600_000),
  { error: "expected a duration from 1s to 1h, such as 75s" },
);

/** True for a text with characters of URIs alone (RFC 3986, section 2). */
const isEncoded = (text: string) => /^(?:[\w.~:/?#[\]@!$&'()*+,;=-]|%[\da-f]{2})+$/i.test(text);

const publicUrl = z
  .string({ error: urlForm })
  .refine((text) => text === "" || isServiceUrl(text), { error: urlForm })
  .refine((text) => !isServiceUrl(text) || isEncoded(text), {
    error: ({ input }) =>
      `expected a URL whose spaces and letters outside of ASCII are encoded, since all ids begin with it; write ${parseUrl(String(input))?.href}`,
  });

export const configSchema = z
  .strictObject({
    addr: option(
      z
        .string({ error: addressForm })
        .refine(throwsNot(parseAddress), { error: addressForm })
        .default(":8080"),
      { description: "Address to listen on.", edit: "restart", env: "SERVICE_ADDR" },
    ),
    base_url: option(publicUrl.default(""), {
      description:
        "Public URL of the service. Empty: the service derives it from X-Forwarded-Proto, -Host and -Prefix or from Forwarded, else from the request.",
      edit: "restart",
    }),
    trusted_proxies: option(z.array(rangeOption()).default([]), {
      description:
        "Addresses of proxies whose Forwarded and X-Forwarded-* headers the service accepts. Empty: it accepts X-Forwarded-Proto, -Host, -Port and -Prefix from anyone, and X-Forwarded-For and Forwarded from no one.",
      edit: "restart",
    }),
    aliases: option(aliasesOption.default([]), {
      description: "Further paths of the Image API; ids, links and redirects keep the path of the request.",
      edit: "restart",
    }),
    read_timeout: option(durationOption.default("30s"), {
      description: "How long a request may take to arrive.",
      edit: "restart",
    }),
    write_timeout: option(durationOption.default("60s"), {
      description: "How long a response may make no progress before its client is disconnected.",
      edit: "restart",
    }),
    shutdown_timeout: option(durationOption.default("15s"), {
      description:
        "How long running requests may take to finish, and caches to be written, after a stop signal; a second signal ends the service immediately.",
      edit: "restart",
    }),
    log: z
      .strictObject({
        level: option(z.enum(["debug", "info", "warn", "error"]).default("info"), {
          description: "Least severe message to write.",
          edit: "live",
          env: "SERVICE_LOG_LEVEL",
        }),
        format: option(z.enum(["text", "json"]).default("text"), {
          description: "Lines for people, or one JSON object per line.",
          edit: "restart",
          env: "SERVICE_LOG_FORMAT",
        }),
        requests: option(z.union([z.boolean(), z.literal("auto")]).default("auto"), {
          description:
            "If true, the log has a line of level info for each request; if false, none. `auto` is the same as true, but at a terminal one line a minute sums them up.",
          edit: "live",
        }),
      })
      .prefault({}),
    admin: adminOptions.prefault({}),
    crawlers: crawlerOptions.prefault({}),
    robots: robotsOptions.prefault({}),
    signed_links: linkOptions.prefault({}),
    errors: errorOptions.prefault({}),
    metrics: z
      .strictObject({
        enabled: option(z.boolean().default(false), {
          description:
            "If true, the figures of the service are at `/metrics`, for Prometheus. Anybody who can reach this address can read them.",
          edit: "restart",
        }),
      })
      .prefault({}),
    tracing: tracingOptions.prefault({}),
    http: z
      .strictObject({
        image_max_age: option(durationOption.default("24h"), {
          description: "How long browsers and proxies may keep public images.",
          edit: "restart",
        }),
        info_max_age: option(durationOption.default("1h"), {
          description: "How long browsers and proxies may keep a public info.json.",
          edit: "restart",
        }),
        compression: option(z.enum(["on", "off"]).default("on"), {
          description:
            "`on` compresses documents, pages and errors of 1 KiB and more with Brotli or gzip for clients that accept it, but never images. Use `off` if a proxy in front compresses.",
          edit: "restart",
        }),
        keep_alive: option(keepAliveOption.default("75s"), {
          description:
            "How long a connection stays open at least while it waits for its next request, from 1s to 1h. It has to be longer than the proxy or load balancer in front keeps idle connections; else some requests end with 502.",
          edit: "restart",
        }),
        frame_ancestors: option(
          z.array(z.string({ error: framingForm }).refine(isFraming, { error: framingForm })).default(["*"]),
          {
            description:
              "Sites that may show pages of this service, such as its viewers, in frames, for example https://www.example.org; `*`: all sites, `self`: this one. Empty: none. No site may show pages with forms in frames.",
            edit: "restart",
          },
        ),
        server_timing: option(z.boolean().default(false), {
          description:
            "If true, image responses have the header `Server-Timing`, which says how long each stage took. It also tells whether somebody else has requested the image before.",
          edit: "restart",
        }),
      })
      .prefault({}),
    limits: z
      .strictObject({
        max_in_flight: option(z.int().min(0).default(0), {
          description:
            "Requests at the same time; further ones are 503. /health, /ready and /metrics are exempt. 0: no cap.",
          edit: "live",
        }),
        max_in_flight_per_ip: option(z.int().min(0).default(0), {
          description:
            "Requests at the same time from one network of clients: an IPv4 address, or an IPv6 prefix of 64 bits. Further ones are 429. 0: no cap.",
          edit: "live",
        }),
        max_wait: option(durationOption.default("20s"), {
          description:
            "How long a render may wait for its turn. One that has waited longer, or has more work ahead, is 503, code queue_full. 0s: no limit.",
          edit: "live",
        }),
      })
      .prefault({}),
    image: imageOptions.prefault({}),
    overlay: overlayOptions.prefault({}),
    sources: sourceOptions,
    cache: cacheOptions,
    hook: hookOptions.prefault({}),
    auth: authOptions.optional(),
    presentation: presentationOptions.prefault({}),
    search: searchOptions.prefault({}),
    content_state: contentStateOptions.prefault({}),
    mcp: mcpOptions.prefault({}),
  })
  .superRefine(({ image, presentation, content_state, cache }, context) => {
    const refuse = (path: (string | number)[], message: string) =>
      context.addIssue({ code: "custom", path, message });
    const written = formatsWith(image.formats);
    for (const [index, name] of image.preferred_formats.entries())
      if (!written[name])
        refuse(
          ["image", "preferred_formats", index],
          `expected a format that image.formats names too, received ${name}`,
        );
    if (presentation.changes.enabled && !presentation.enabled)
      refuse(
        ["presentation", "changes", "enabled"],
        "expected false, because presentation.enabled is false and there are no manifests",
      );
    if (presentation.changes.enabled && cache.changes.backend === "none")
      refuse(
        ["cache", "changes", "backend"],
        "expected filesystem, redis, s3 or heap, because presentation.changes.enabled is true",
      );
    if (content_state.enabled && !presentation.enabled)
      context.addIssue({
        code: "custom",
        path: ["content_state", "enabled"],
        message:
          "expected false or nothing, because links to views need manifests and presentation.enabled is false",
      });
  });

/** The configuration with all defaults filled in; quantities as written. */
export type Config = z.output<typeof configSchema>;

declare const SMALTI_CONFIG_TREE: string | undefined;

let tree: SchemaNode | undefined;

/**
 * Returns the tree of the schema, which is the published JSON Schema of the configuration file. The build
 * provides it as JSON, since deriving it takes a tenth of a start; without a build it is derived here.
 */
export function configTree(): SchemaNode {
  tree ??=
    typeof SMALTI_CONFIG_TREE === "string"
      ? (JSON.parse(SMALTI_CONFIG_TREE) as SchemaNode)
      : treeOf(configSchema);
  return tree;
}
