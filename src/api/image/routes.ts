// The Image API over HTTP: image information, images and base URIs, for versions 3.0 and 2.1 and their aliases.

import type { Hono } from "hono";
import { ServiceError } from "../../errors.ts";
import { contentDisposition } from "../../iiif/image/canonical.ts";
import { mediaType } from "../../iiif/image/formats.ts";
import { parseImageRequest } from "../../iiif/image/grammar.ts";
import {
  contextUri,
  imageInformation,
  informationType,
  informationTypes,
  profileUri,
} from "../../iiif/image/info.ts";
import { imageMounts, type Mount, mountOf } from "../../iiif/image/mounts.ts";
import { encodeIdentifier, type ImagePath, splitImagePath } from "../../iiif/image/path.ts";
import { hash, masterVersion } from "../../images/cache-keys.ts";
import { checkServable, describe, type Master, openMaster } from "../../images/describe.ts";
import { asShown, uprightSize } from "../../images/orientation.ts";
import { kept, planFor, prepare, render } from "../../images/render.ts";
import type { Service } from "../../service.ts";
import { preferredType } from "../http/accept.ts";
import { forwardedHeaders } from "../http/client.ts";
import { isNotModified, lastModified, validatorHeaders } from "../http/conditional.ts";
import { type Env, hasParameter, type RequestContext } from "../http/context.ts";
import { corsHeaders, preflight } from "../http/cors.ts";
import { methodNotAllowed } from "../http/methods.ts";

/** Mounts the Image API; the longest prefix wins. Prefixes are compared here, since the router would read patterns in them. */
export function mountImage(app: Hono<Env>, service: Service): void {
  const mounts = imageMounts(service.config().aliases);
  app.all("*", (c, next) => {
    const mount = mountOf(mounts, c.get("target").path);
    return mount ? answer(c, service, mount) : next();
  });
}

function answer(c: RequestContext, service: Service, mount: Mount): Response | Promise<Response> {
  const method = c.req.method;
  if (method === "OPTIONS") return preflight(corsHeaders);
  if (method !== "GET" && method !== "HEAD") return methodNotAllowed(c, corsHeaders);
  const path = splitImagePath(c.get("target").path.slice(mount.prefix.length));
  return acts[path.kind](c, service, mount, path as never);
}

type Act<K extends ImagePath["kind"]> = (
  c: RequestContext,
  service: Service,
  mount: Mount,
  path: Extract<ImagePath, { kind: K }>,
) => Response | Promise<Response>;

const acts: { readonly [K in ImagePath["kind"]]: Act<K> } = { base: redirect, info: information, image };

/** Public URI of an image service: where its info.json hangs. */
function serviceUri(c: RequestContext, mount: Mount, identifier: string): string {
  return `${c.get("base")}${mount.prefix}${encodeIdentifier(identifier)}`;
}

/** `Vary` for an answer whose headers hold public URIs, beside what else it varies by. */
function vary(c: RequestContext, ...more: readonly string[]): Readonly<Record<string, string>> {
  const names = [...more, ...(c.get("baseDerived") ? [forwardedHeaders] : [])];
  return names.length > 0 ? { Vary: names.join(", ") } : {};
}

/** Base URI to image information (Image API 3.0, section 2). */
function redirect(
  c: RequestContext,
  _service: Service,
  mount: Mount,
  path: { identifier: string },
): Response {
  return new Response(null, {
    status: 303,
    headers: {
      Location: `${serviceUri(c, mount, path.identifier)}/info.json`,
      "Cache-Control": "no-cache",
      ...vary(c),
      ...corsHeaders,
    },
  });
}

function information(
  c: RequestContext,
  service: Service,
  mount: Mount,
  path: { identifier: string },
): Promise<Response> {
  return withMaster(c, service, path.identifier, async (master) => {
    const header = await describe(service.images, master, c.req.raw.signal);
    checkServable(service.images, master, header);
    const document = imageInformation({
      version: mount.version,
      id: serviceUri(c, mount, path.identifier),
      size: uprightSize(asShown(header, service.images.policy)),
      limits: service.images.limits,
      tileSize: service.images.tileSize,
    });
    const body = JSON.stringify(document, null, 2);
    const type = informationType(preferredType(c, informationTypes), mount.version);
    const validators = {
      etag: `"${(await hash([body, type])).slice(0, 27)}"`,
      modified: lastModified(master.image.modified, service.startedAt),
    };
    const context = type.startsWith("application/json")
      ? `, <${contextUri[mount.version]}>;rel="http://www.w3.org/ns/json-ld#context";type="application/ld+json"`
      : "";
    const headers = {
      ...validatorHeaders(validators),
      "Cache-Control": service.caching.info,
      ...vary(c, "Accept"),
      Link: `<${profileUri[mount.version]}>;rel="profile"${context}`,
      ...corsHeaders,
    };
    if (isNotModified(c.req.raw.headers, validators)) return new Response(null, { status: 304, headers });
    return new Response(c.req.method === "HEAD" ? null : body, {
      headers: {
        ...headers,
        "Content-Type": type,
        "Content-Length": String(new TextEncoder().encode(body).length),
        "X-Content-Type-Options": "nosniff",
      },
    });
  });
}

function image(
  c: RequestContext,
  service: Service,
  mount: Mount,
  path: Extract<ImagePath, { kind: "image" }>,
): Promise<Response> {
  const request = parseImageRequest(mount.version, path);
  return withMaster(c, service, path.identifier, async (master) => {
    const signal = c.req.raw.signal;
    const prepared = await prepare(service.images, master, request, signal);
    const validators = {
      etag: prepared.etag,
      modified: lastModified(master.image.modified, service.startedAt),
    };
    const canonical = `${serviceUri(c, mount, path.identifier)}/${prepared.canonical}`;
    // Set one after the other: a literal with spreads in it costs several times as much, for every tile.
    const headers: Record<string, string> = validatorHeaders(validators);
    headers["Cache-Control"] = service.caching.image;
    if (c.get("baseDerived")) headers.Vary = forwardedHeaders;
    headers.Link = `<${canonical}>;rel="canonical", <${profileUri[mount.version]}>;rel="profile"`;
    Object.assign(headers, corsHeaders);
    if (isNotModified(c.req.raw.headers, validators)) return new Response(null, { status: 304, headers });
    headers["Content-Type"] = mediaType(request.format);
    headers["Content-Disposition"] = contentDisposition(
      path.identifier,
      prepared.canonical,
      hasParameter(c.get("target").query, "download"),
    );
    headers["X-Content-Type-Options"] = "nosniff";
    if (c.req.method === "HEAD") {
      const known = await kept(service.images, master, prepared);
      if (!known) {
        checkServable(service.images, master, prepared.header);
        service.images.admission.check(planFor(service.images, master, prepared).memory);
      }
      tellIgnoredProfile(headers, service, master);
      headers["Cache-Status"] = cacheStatus(known === undefined);
      if (known) headers["Content-Length"] = String(known.length);
      return new Response(null, { headers });
    }
    const { bytes, made, incomplete } = await render(service.images, master, prepared, signal);
    if (incomplete) forbidKeeping(headers);
    tellIgnoredProfile(headers, service, master);
    headers["Cache-Status"] = cacheStatus(made);
    headers["Content-Length"] = String(bytes.length);
    return new Response(bytes as Uint8Array<ArrayBuffer>, { headers });
  });
}

/**
 * For a picture of a file that is damaged or still being written: nobody may use it again without asking, and without a
 * validator nobody is told that it is still good.
 */
function forbidKeeping(headers: Record<string, string>): void {
  headers["Cache-Control"] = "no-cache";
  delete headers.ETag;
  delete headers["Last-Modified"];
}

/** Whether an answer was kept (RFC 9211). */
const cacheStatus = (missed: boolean) => (missed ? "smalti; fwd=miss" : "smalti; hit");

/** Why the profile of a master is not used, where that is so; a render may be what finds out. */
function tellIgnoredProfile(headers: Record<string, string>, service: Service, master: Master): void {
  const reason = service.images.ignoredProfiles.of(masterVersion(master));
  if (reason !== undefined) headers["X-Ignored-Profile"] = reason;
}

function withMaster(
  c: RequestContext,
  service: Service,
  identifier: string,
  act: (master: Master) => Promise<Response>,
): Promise<Response> {
  if (identifier === "")
    throw new ServiceError(
      "not-found",
      "The address names no image. It has the form /iiif/3/{identifier}/info.json.",
      { code: "image_not_found" },
    );
  const attempt = async (left: number): Promise<Response> => {
    const master = await openMaster(service.images.sources, identifier, c.req.raw.signal, c.get("client"));
    try {
      return await act(master);
    } catch (error) {
      // Replaced or purged since it was looked at: the new file is as good.
      if (left === 0 || !(error instanceof ServiceError) || error.kind !== "changed") throw error;
      master.source.forget?.(master.key);
    } finally {
      void master.image
        .close()
        .catch((error: unknown) => service.log.debug("closing a master failed", { error: String(error) }));
    }
    return attempt(left - 1);
  };
  return attempt(2);
}
