// Addresses, limits, endpoints and the delegate script.

import { isServiceUrl } from "../../../../base/index.ts";
import { mainPrefix } from "../../../../iiif/index.ts";
import { isTrue } from "../properties.ts";
import { copyingRow, missingRow, type Row, type Rows, unneededRow, wholeNumber } from "../row.ts";

const threads = unneededRow("smalti handles requests without a thread for each");
const tls =
  "smalti does not speak TLS; let Caddy or nginx do so in front of it: deploy/proxy has a configuration for each";
const keyStore: Row = {
  missing: tls,
  unneeded: "https.enabled is false",
  choose: (_, all) => (isTrue(all.get("https.enabled")) ? "missing" : "unneeded"),
};
const keyStoreSecret: Row = { ...keyStore, secret: true };
const endpointRow = (path: string): Row => ({
  unneeded: `smalti always has this, at the same address: ${path}`,
  missing: `smalti always has ${path}; refuse that path in the proxy`,
  choose: (value) => (isTrue(value) ? "unneeded" : "missing"),
});
const operator = (variable: string): Row => ({
  to: variable,
  text: "an environment variable, not a key of the file",
  unneeded: "endpoint.admin.enabled is false",
  choose: (_, all) => (isTrue(all.get("endpoint.admin.enabled")) ? "taken" : "unneeded"),
});
const api: Row = {
  missing: "empty caches with `smalti purge`, or on the page /admin/cache",
  unneeded: "endpoint.api.enabled is false",
  choose: (_, all) => (isTrue(all.get("endpoint.api.enabled")) ? "missing" : "unneeded"),
};
const sizes: Row = {
  missing:
    "smalti makes every size; image.max_output_area bounds them, and a hook `authorize` sees request_path and can refuse the others",
  unneeded: "smalti does not restrict sizes either",
  choose: (value) => (isTrue(value) ? "missing" : "unneeded"),
};
const script = "smalti calls hooks in JavaScript, or a web service: see the list of your methods";

const ofProxy = `With https there is a proxy in front. Name its address, so that limits, logs and reading rooms see the addresses of readers:
trusted_proxies: [127.0.0.1]`;

const constraint = missingRow(
  "smalti has no scale constraints; limit the detail that readers see with auth.profiles.*.substitute.max_size",
);

export const serverRows: Rows = {
  extends: unneededRow("the properties of that file are read as well"),
  temp_pathname: unneededRow("smalti writes no temporary files"),
  "http.enabled": {
    to: "addr",
    unneeded: "smalti always serves HTTP",
    missing: `smalti always serves HTTP. ${tls}`,
    choose: (value) => (isTrue(value) ? "unneeded" : "missing"),
  },
  "http.host": {
    to: "addr",
    take: (value, all) => [{ path: ["addr"], value: addressOf(value, all.get("http.port") ?? "8182") }],
  },
  "http.port": {
    to: "addr",
    take: (value, all) => [{ path: ["addr"], value: addressOf(all.get("http.host") ?? "", value) }],
  },
  "http.http2.enabled": unneededRow("the proxy in front speaks HTTP/2"),
  "http.min_threads": threads,
  "http.max_threads": threads,
  "http.accept_queue_limit": unneededRow("limits.max_in_flight bounds the requests at the same time"),
  "https.enabled": {
    missing: tls,
    unneeded: "smalti does not speak TLS; the proxy in front does",
    choose: (value) => (isTrue(value) ? "missing" : "unneeded"),
  },
  "https.host": keyStore,
  "https.port": keyStore,
  "https.http2.enabled": keyStore,
  "https.key_store_type": keyStore,
  "https.key_store_password": keyStoreSecret,
  "https.key_store_path": keyStore,
  "https.key_password": keyStoreSecret,
  base_uri: {
    to: "base_url",
    take: (value) => {
      if (!isServiceUrl(value))
        throw new Error(
          "set base_url to an http or https address without query, such as https://images.example.org",
        );
      const comment = /^https:/i.test(value) ? { comment: ofProxy } : {};
      return [{ path: ["base_url"], value: value.replace(/\/+$/, ""), ...comment }];
    },
  },
  slash_substitute: {
    to: "hook.lookup.template",
    text: "with a template smalti derives no manifests from folders, unless presentation.derive is always",
  },
  max_pixels: copyingRow(
    "image.max_output_area",
    (value) => wholeNumber(value),
    "smalti reduces `max` to it, and refuses other sizes above it with 400",
  ),
  max_scale: {
    unneeded: "no response is larger than its region, unless the request has ^ (Image API 3)",
    missing:
      "smalti allows a size above 1.0 only to requests with ^ (Image API 3), up to image.max_output_area, and never in Image API 2",
    choose: (value) => (Number(value) === 1 ? "unneeded" : "missing"),
  },
  "meta_identifier.transformer": {
    unneeded: "smalti reads `name;2` as page 2 of `name`",
    missing:
      "smalti reads `name;2` as page 2 of `name`, and no other form; a hook `resolve` can map identifiers",
    choose: (value) => (/Standard/.test(value) ? "unneeded" : "missing"),
  },
  "meta_identifier.transformer.StandardMetaIdentifierTransformer.delimiter": {
    unneeded: "smalti uses ; as well, for pages: `name;2`",
    missing: "smalti uses ; only, for pages: `name;2`",
    choose: (value) => (value === ";" ? "unneeded" : "missing"),
  },
  "scale_constraint_suffix.pattern": constraint,
  "scale_constraint_suffix.format": constraint,
  log_error_responses: unneededRow(
    "the log has a line for each request with its status, and the cause of each 5xx",
  ),
  print_stack_trace_on_error_pages: unneededRow("responses never contain a stack trace; the log does"),
  "delegate_script.enabled": {
    missing: script,
    unneeded: "there is no delegate script",
    choose: (value) => (isTrue(value) ? "missing" : "unneeded"),
  },
  "delegate_script.pathname": {
    missing: script,
    unneeded: "delegate_script.enabled is false",
    choose: (_, all) => (isTrue(all.get("delegate_script.enabled")) ? "missing" : "unneeded"),
  },
  "delegate_script.cache.enabled": unneededRow("hook.webhook.ttl does this for a web service"),
  "endpoint.iiif.1.enabled": {
    missing: `smalti has versions 2 and 3 of the Image API; redirect /iiif/1/ to ${mainPrefix[2]} in the proxy if viewers accept it`,
    unneeded: "smalti has no version 1 either",
    choose: (value) => (isTrue(value) ? "missing" : "unneeded"),
  },
  "endpoint.iiif.2.enabled": endpointRow(mainPrefix[2]),
  "endpoint.iiif.3.enabled": endpointRow(mainPrefix[3]),
  "endpoint.iiif.content_disposition": unneededRow(
    "browsers show images, and a download link may name the file",
  ),
  "endpoint.iiif.min_size": unneededRow("info.json lists the sizes that smalti makes cheaply"),
  "endpoint.iiif.min_tile_size": copyingRow(
    "image.tile_size",
    (value) => Math.min(8192, Math.max(64, wholeNumber(value))),
    "the size of all advertised tiles, whatever the tiles of the file are",
  ),
  "endpoint.iiif.restrict_to_sizes": sizes,
  "endpoint.iiif.2.restrict_to_sizes": sizes,
  "endpoint.admin.enabled": {
    to: "SERVICE_ADMIN_USER, SERVICE_ADMIN_PASS",
    text: "the pages under /admin/ exist if the environment names an operator",
    unneeded: "there are no pages under /admin/ unless the environment names an operator",
    choose: (value) => (isTrue(value) ? "taken" : "unneeded"),
  },
  "endpoint.admin.username": operator("SERVICE_ADMIN_USER"),
  "endpoint.admin.secret": { ...operator("SERVICE_ADMIN_PASS"), secret: true },
  "endpoint.api.enabled": api,
  "endpoint.api.username": api,
  "endpoint.api.secret": { ...api, secret: true },
  "endpoint.health.enabled": endpointRow("/health"),
  "endpoint.health.dependency_check": unneededRow(
    "/health says that smalti runs, /ready also checks sources and caches",
  ),
};

/** Returns an address to listen on; all interfaces have no name. */
function addressOf(host: string, port: string): string {
  const number = wholeNumber(port);
  if (/^(|0\.0\.0\.0|::|\*)$/.test(host)) return `:${number}`;
  return `${host.includes(":") && !host.startsWith("[") ? `[${host}]` : host}:${number}`;
}
