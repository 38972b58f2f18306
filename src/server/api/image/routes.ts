// The Image API over HTTP: image information, images and base URIs, for versions 3.0 and 2.1 and their
// aliases.

import { ServiceError } from "../../../base/index.ts";
import {
  addressForm,
  commonPrefix,
  contentDisposition,
  contextUri,
  type ImagePath,
  imageAddress,
  imageChallenge,
  imageMounts,
  informationType,
  informationTypes,
  kindOfPath,
  type Mount,
  parseImageRequest,
  profileUri,
  splitImagePath,
} from "../../../iiif/index.ts";
import { writingOf } from "../../../imaging/index.ts";
import type { Caller, Decision, RefusedDecision, Sharing } from "../../access/access.ts";
import { hash, masterVersion } from "../../images/cache-keys.ts";
import { isDamaged } from "../../images/damaged-masters.ts";
import { checkServable, type GrantedMaster, type Master } from "../../images/describe.ts";
import { informationOf } from "../../images/information.ts";
import { withMaster } from "../../images/open.ts";
import { admittedMemory, findCached, planFor, prepare, render } from "../../images/render.ts";
import type { Service } from "../../service.ts";
import type { RouteClass } from "../../stats/figures.ts";
import { servicesOf } from "../http/auth-services.ts";
import { hasParameter, imageCallerOf, type RequestContext, recordSent } from "../http/context.ts";
import { setCors } from "../http/cors.ts";
import { noSuchPage, problemResponse, Refusal } from "../http/problem.ts";
import { preferredType } from "../http/representation/accept.ts";
import { setCaching, setVary } from "../http/representation/caching.ts";
import {
  isNotModified,
  lastModified,
  type Validators,
  validatorHeaders,
} from "../http/representation/conditional.ts";
import { bodyOf } from "../http/representation/paced-body.ts";
import { sendText } from "../http/representation/send.ts";
import { setServerTiming } from "../http/request-log.ts";
import type { Routes } from "../http/routes.ts";
import { linksPath, signedBase, withoutToken } from "../http/signed-address.ts";
import { forOneVisitor, noteAsked, withLimitedWidth } from "./limited.ts";
import { useLink, withinLink } from "./signed.ts";

/** Mounts the Image API under both versions and all aliases. */
export function mountImage(routes: Routes, service: Service): void {
  for (const mount of imageMounts(service.config().aliases))
    routes.add({
      path: `${mount.prefix}*`,
      cors: true,
      counted: classesOf(mount),
      get: (c) => respond(c, service, mount),
    });
  mountSigned(routes, service);
  // Not-found responses below the common prefix are readable for viewers of other origins too.
  routes.add({ path: `${commonPrefix}*`, cors: true });
}

/** Images are counted separately; redirects of a base URI count as image information. */
function classesOf({ prefix, version }: Mount): (path: string) => RouteClass {
  const info = `iiif/${version} info` as const;
  const image = `iiif/${version} image` as const;
  return (path) => (kindOfPath(path.slice(prefix.length)) === "image" ? image : info);
}

/** Mounts all versions and aliases below `/s/{token}`. */
function mountSigned(routes: Routes, service: Service): void {
  const mounts = imageMounts(service.config().aliases);
  const mountOf = (path: string | undefined) => mounts.find(({ prefix }) => path?.startsWith(prefix));
  const classes = new Map(mounts.map((mount) => [mount, classesOf(mount)] as const));
  routes.add({
    path: `${linksPath}*`,
    cors: true,
    counted(path) {
      const inner = path.slice(path.indexOf("/", linksPath.length));
      const mount = mountOf(inner);
      return mount ? (classes.get(mount)?.(inner) ?? "other") : "other";
    },
    get(c) {
      const mount = mountOf(c.get("signed")?.path);
      if (!mount) throw new Refusal(noSuchPage);
      return respond(c, service, mount);
    },
  });
}

function respond(c: RequestContext, service: Service, mount: Mount): Response | Promise<Response> {
  const signed = c.get("signed");
  const path = splitImagePath((signed?.path ?? c.get("target").path).slice(mount.prefix.length));
  const act = () => acts[path.kind](c, service, mount, path as never);
  return signed ? actByLink(c, service, path, act) : act();
}

/** Verifies a link before an act. A token of the query is moved to the path, so that viewers send it too. */
async function actByLink(
  c: RequestContext,
  service: Service,
  path: ImagePath,
  act: () => Response | Promise<Response>,
): Promise<Response> {
  await useLink(c, service, path.identifier);
  const link = c.get("link");
  if (!link || c.get("signed")?.path !== undefined) return act();
  const target = c.get("target");
  const query = withoutToken(target.query);
  const headers: Record<string, string> = {
    Location: `${signedBase(c.get("base"), c.get("signed")?.token ?? "")}${target.path}${query && `?${query}`}`,
    "Cache-Control": forOneVisitor,
    "Referrer-Policy": "no-referrer",
  };
  setCors(headers, c);
  return new Response(null, { status: 303, headers });
}

type ImageHandler<K extends ImagePath["kind"]> = (
  c: RequestContext,
  service: Service,
  mount: Mount,
  path: Extract<ImagePath, { kind: K }>,
) => Response | Promise<Response>;

const acts: { readonly [K in ImagePath["kind"]]: ImageHandler<K> } = {
  base: redirect,
  info: information,
  image,
};

/** Returns the public URI of an image service, the parent of its info.json; with the token of a link. */
function serviceUri(c: RequestContext, mount: Mount, identifier: string): string {
  const { token = "" } = c.get("signed") ?? {};
  const base = c.get("link") ? signedBase(c.get("base"), token) : c.get("base");
  return imageAddress(base + mount.prefix, identifier);
}

/** Redirects a base URI to image information (Image API 3.0, section 2). */
function redirect(
  c: RequestContext,
  _service: Service,
  mount: Mount,
  path: { identifier: string },
): Response {
  const headers: Record<string, string> = {
    Location: `${serviceUri(c, mount, path.identifier)}/info.json`,
    "Cache-Control": "no-cache",
  };
  setVary(headers, c);
  return new Response(null, { status: 303, headers });
}

function information(
  c: RequestContext,
  service: Service,
  mount: Mount,
  path: { identifier: string },
): Promise<Response> {
  const caller = callerNamed(c, path.identifier);
  const show = async (master: Master, decision: Decision) => {
    const isLimited = caller.visitor?.inform(path.identifier) === true;
    const images = isLimited ? withLimitedWidth(service.images) : withinLink(c, service.images);
    const asked = {
      version: mount.version,
      id: serviceUri(c, mount, path.identifier),
      // Anyone who has a link needs no login.
      service: c.get("link") ? [] : servicesOf(c, service, mount.version, path.identifier),
    };
    const { document } = await informationOf(images, master, asked, c.req.raw.signal);
    const body = JSON.stringify(document, null, 2);
    const type = informationType(preferredType(c, informationTypes), mount.version);
    const context = type.startsWith("application/json")
      ? `, <${contextUri[mount.version]}>;rel="http://www.w3.org/ns/json-ld#context";type="application/ld+json"`
      : "";
    const headers: Record<string, string> = {
      Link: `<${profileUri[mount.version]}>;rel="profile"${context}`,
    };
    setCaching(headers, c, decision, service.caching.info, "Accept");
    if (isLimited) headers["Cache-Control"] = forOneVisitor;
    setCors(headers, c);
    if (!decision.allowed) {
      c.set("failure", { code: "access_denied", detail: decision.reason });
      Object.assign(headers, challengeOf(decision.status));
    }
    const tier = decision.allowed && decision.tier !== "public" ? [decision.tier] : [];
    return sendText(c, body, {
      type,
      status: decision.allowed ? 200 : decision.status,
      headers,
      ...(decision.allowed &&
        !isLimited && {
          validators: validatorsOf(service, master, decision, await tagOf([body, type, ...tier])),
        }),
    });
  };
  return withMaster(
    service.images,
    caller,
    (master) => show(master, master.grant),
    // A viewer learns from the document where to log in. It is therefore sent with a denial too, except for
    // "not found" and redirects, and if no document can be made.
    (refused) =>
      refused.status === 404 || refused.status === 410 || refused.status === 303
        ? refusal(c, refused)
        : (master) => (master ? show(master, refused) : refusal(c, refused)),
  );
}

function image(
  c: RequestContext,
  service: Service,
  mount: Mount,
  path: Extract<ImagePath, { kind: "image" }>,
): Promise<Response> {
  const request = parseImageRequest(mount.version, path, service.images.formats);
  const caller = callerNamed(c, path.identifier);
  const serve = async (master: GrantedMaster) => {
    const { signal } = caller;
    const images = withinLink(c, service.images);
    const prepared = await prepare(images, master, request, signal);
    const validators = imageValidators(service, master, prepared.etag);
    const canonical = `${imageAddress(c.get("base") + mount.prefix, path.identifier)}/${prepared.canonical}`;
    // Set one by one: an object literal with spreads costs several times as much for every tile.
    const headers: Record<string, string> = validatorHeaders(validators);
    setCaching(headers, c, master.grant, service.caching.image);
    setCors(headers, c);
    headers.Link = `<${canonical}>;rel="canonical", <${profileUri[mount.version]}>;rel="profile"`;
    headers["X-Content-Type-Options"] = "nosniff";
    const lacksPart = isDamaged(service.images, master, prepared.header);
    if (lacksPart) headers[damagedHeader] = "yes";
    if (!lacksPart && isNotModified(c.req.raw.headers, validators))
      return new Response(null, { status: 304, headers });
    const smaller = noteAsked(service.images, master, prepared, c.req.method === "HEAD");
    if (smaller && !(await findCached(service.images, master, prepared))) {
      const own: Record<string, string> = {
        Location: `${serviceUri(c, mount, path.identifier)}/${smaller}`,
        "Cache-Control": forOneVisitor,
      };
      setCors(own, c);
      return new Response(null, { status: 303, headers: own });
    }
    headers["Content-Type"] = writingOf(request.format).mediaType;
    headers["Content-Disposition"] = contentDisposition(
      path.identifier,
      prepared.canonical,
      hasParameter(c.get("target").query, "download"),
    );
    if (c.req.method === "HEAD") {
      const known = await findCached(service.images, master, prepared);
      if (!known) {
        checkServable(service.images, master, prepared.header);
        const plan = planFor(service.images, master, prepared);
        const waits = service.images.sidecars.waits(master, plan.read);
        service.images.admission.check(admittedMemory(plan, waits));
      }
      tellIgnoredProfile(headers, service, master);
      c.get("stages")?.noteCache(known ? "hit" : "miss");
      if (!known && lacksPart) forbidKeeping(headers, c, master.grant);
      headers["Cache-Status"] = cacheStatus(known === undefined);
      if (known) headers["Content-Length"] = String(known.length);
      return new Response(null, { headers });
    }
    const { bytes, made, incomplete } = await render(service.images, master, prepared, signal);
    if (incomplete) {
      headers[damagedHeader] = "yes";
      forbidKeeping(headers, c, master.grant);
    }
    tellIgnoredProfile(headers, service, master);
    headers["Cache-Status"] = cacheStatus(made);
    headers["Content-Length"] = String(bytes.length);
    setServerTiming(headers, c);
    return new Response(bodyOf(c, recordSent(c, bytes as Uint8Array<ArrayBuffer>)), { headers });
  };
  return withMaster(service.images, caller, serve, (refused) => refusal(c, refused));
}

/** Set if a part of the master could not be decoded, perhaps elsewhere than in this derivative. */
const damagedHeader = "X-Damaged-Master";

/**
 * For a derivative of a damaged or unfinished file: caches must revalidate before reuse, and without a
 * validator the response is never 304.
 */
function forbidKeeping(headers: Record<string, string>, c: RequestContext, grant: Sharing): void {
  setCaching(headers, c, grant, "no-cache");
  delete headers.ETag;
  delete headers["Last-Modified"];
}

/** Returns the cache status (RFC 9211). */
const cacheStatus = (missed: boolean) => (missed ? "smalti; fwd=miss" : "smalti; hit");

/** Reports why the profile of a master is ignored, which a render may find out. */
function tellIgnoredProfile(headers: Record<string, string>, service: Service, master: Master): void {
  const reason = service.images.ignoredProfiles.of(masterVersion(master));
  if (reason !== undefined) headers["X-Ignored-Profile"] = reason;
}

/** Throws `not-found` if the address names no image. */
function callerNamed(c: RequestContext, identifier: string): Caller {
  if (identifier === "")
    throw new ServiceError("not-found", `The address names no image. It has the form ${addressForm}.`, {
      code: "image_not_found",
    });
  return imageCallerOf(c, identifier);
}

/** Responds to callers who may not have an image. */
async function refusal(c: RequestContext, refused: RefusedDecision): Promise<Response> {
  if (refused.status === 303) {
    const headers: Record<string, string> = { Location: refused.location };
    setCaching(headers, c, refused, "no-cache");
    return new Response(null, { status: 303, headers });
  }
  const { status, reason, vary } = refused;
  const headers = challengeOf(status);
  const response = await problemResponse(c, { status, code: "access_denied", detail: reason, headers });
  for (const name of vary) response.headers.append("Vary", name);
  return response;
}

const challengeOf = (status: number): Record<string, string> =>
  status === 401 ? { "WWW-Authenticate": imageChallenge } : {};

/** Returns the ETag of a document by its inputs. */
const tagOf = async (parts: readonly string[]) => `"${(await hash(parts)).slice(0, 27)}"`;

/**
 * An overlay may change between two responses for one master, and its time says nothing about its hook:
 * therefore no date.
 */
function imageValidators(service: Service, master: GrantedMaster, etag: string): Validators {
  return service.images.overlays?.mayChange() ? { etag } : validatorsOf(service, master, master.grant, etag);
}

/**
 * Returns the validators of a response. A response for a single caller has no date, since a date would not
 * distinguish it from others.
 */
function validatorsOf(service: Service, { image }: Master, { cachedBy }: Sharing, etag: string): Validators {
  return cachedBy === "anyone"
    ? { etag, modified: lastModified(image.modified, service.startedAt) }
    : { etag };
}
