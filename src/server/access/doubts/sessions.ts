// Doubts about sessions, cookies and tokens: logins that get lost, that browsers do not store, or that
// viewers cannot use.

import { doubtAt, type Finding, isSafeTransport, parseDuration, parseUrl } from "../../../base/index.ts";
import type { AccessSettings } from "./settings.ts";

/** Yields doubts about settings shared by all profiles. */
export function* sessionDoubts(settings: AccessSettings): Iterable<Finding> {
  const profiles = Object.values(settings.auth.profiles);
  if (profiles.some(({ access_service: { backend } }) => backend !== "header")) {
    yield* lifetimes(settings);
    yield* stores(settings);
    yield* cookies(settings);
  }
  yield* origins(settings);
}

const minute = 60_000;
/** Browsers store no cookie for longer (RFC 6265bis, section 5.5). */
const maxDays = 400;
/** Viewers fetch a new token before the old one ends, and a page takes a moment. */
const leastTokenMs = 30_000;

function* lifetimes({ auth }: AccessSettings): Iterable<Finding> {
  const session = parseDuration(auth.session_ttl);
  const path = ["auth", "session_ttl"];
  if (session < minute)
    yield doubtAt(path, `logs readers out after ${auth.session_ttl}; write a time such as 12h`);
  if (session > maxDays * 1440 * minute)
    yield doubtAt(
      path,
      `is longer than the ${maxDays} days for which browsers keep a cookie, and former users keep access until then; write a time such as 30d`,
    );
  yield* tokenLifetime(["auth", "token_ttl"], auth.token_ttl, auth.session_ttl);
  for (const [name, { token_ttl }] of Object.entries(auth.profiles))
    if (token_ttl !== undefined)
      yield* tokenLifetime(["auth", "profiles", name, "token_ttl"], token_ttl, auth.session_ttl);
}

function* tokenLifetime(path: readonly string[], ttl: string, session: string): Iterable<Finding> {
  if (parseDuration(ttl) > parseDuration(session))
    yield doubtAt(
      path,
      `is longer than session_ttl (${session}), which ends tokens too; write a shorter time, or a longer session_ttl`,
    );
  if (parseDuration(ttl) < leastTokenMs)
    yield doubtAt(path, "is so short that tokens end before viewers use them; write a time such as 5m");
}

function* stores({ auth: { session }, cache }: AccessSettings): Iterable<Finding> {
  const { backend } = session;
  const shared = Object.keys(cache).find((name) => cache[name]?.backend === "redis");
  if (backend !== "redis" && shared !== undefined)
    yield doubtAt(
      ["auth", "session", "backend"],
      `is ${backend}, which several servers cannot share, but cache.${shared} is in Redis as if there were several: a login on one does not count on the next; write backend: redis`,
    );
  for (const other of ["path", "s3", "redis"] as const) {
    const own = backend === "filesystem" ? "path" : backend;
    if (other !== own && session[other])
      yield doubtAt(
        ["auth", "session", other],
        `is ignored because auth.session.backend is ${backend}; write backend: ${other === "path" ? "filesystem" : other}, or remove it`,
      );
  }
}

function* cookies({ auth: { cookie }, base_url }: AccessSettings): Iterable<Finding> {
  const base = parseUrl(base_url)?.pathname.replace(/\/+$/, "");
  const path = cookie.path.replace(/\/+$/, "");
  if (base !== undefined && !`${base}/iiif/`.startsWith(`${path}/`))
    yield doubtAt(
      ["auth", "cookie", "path"],
      `browsers send the cookie only below ${path}, and this service is at ${base}/, so no login counts; write ${base || "/"}, or remove it`,
    );
  const sent = cookie.path || base;
  if (/^__Host-/i.test(cookie.name) && sent !== undefined && !/^\/?$/.test(sent))
    yield doubtAt(
      ["auth", "cookie", "name"],
      `browsers refuse a cookie that begins with __Host- and has a path, here ${sent}, so no login counts; write path: /, or another name`,
    );
}

function* origins({ auth: { cors, profiles } }: AccessSettings): Iterable<Finding> {
  const { probe_origins: probes, token_origins: tokens, clickthrough_origins: agreed } = cors;
  if (agreed.length > 0 && !Object.values(profiles).some(({ pattern }) => pattern === "clickthrough"))
    yield doubtAt(
      ["auth", "cors", "clickthrough_origins"],
      "no profile has the pattern clickthrough, so these origins get no tokens; name them in token_origins, or remove the key",
    );
  for (const [at, origin] of tokens.entries()) {
    const path = ["auth", "cors", "token_origins", at];
    if (!isSafeTransport(new URL(origin)))
      yield doubtAt(
        path,
        `${origin} is http, so anyone on the way can impersonate the viewer and get its tokens; write its https address`,
      );
    if (!probes.includes("*") && !probes.includes(origin))
      yield doubtAt(
        path,
        `${origin} may get tokens but may not read the probe, which tells viewers whether they need one; add it to probe_origins`,
      );
  }
}
