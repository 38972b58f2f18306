// Doubts about sessions, cookies and tokens: logins that get lost, that browsers do not store, or that
// viewers cannot use.

import { isSafeTransport, parseDuration, parseUrl } from "../../../base/index.ts";
import type { AccessSettings, Doubt } from "./doubt.ts";

/** Returns doubts about settings shared by all profiles. */
export function sessionDoubts(settings: AccessSettings): Doubt[] {
  const { auth } = settings;
  const hasSessions = Object.values(auth.profiles).some(
    ({ access_service: { backend } }) => backend !== "header",
  );
  const rows = hasSessions ? [...lifetimes(settings), ...stores(settings), ...cookies(settings)] : [];
  return [...rows, ...origins(settings)].map(({ keys, message }) => ({ path: keys, message }));
}

interface SessionDoubt {
  readonly keys: readonly PropertyKey[];
  readonly message: string;
}

const minute = 60_000;
/** Browsers store no cookie for longer (RFC 6265bis, section 5.5). */
const mostDays = 400;
/** Viewers fetch a new token before the old one ends, and a page takes a moment. */
const leastTokenMs = 30_000;

function lifetimes({ auth }: AccessSettings): SessionDoubt[] {
  const session = parseDuration(auth.session_ttl);
  const found: SessionDoubt[] = [];
  if (session < minute)
    found.push({
      keys: ["auth", "session_ttl"],
      message: `logs readers out after ${auth.session_ttl}; write a time such as 12h`,
    });
  if (session > mostDays * 1440 * minute)
    found.push({
      keys: ["auth", "session_ttl"],
      message: `is longer than the ${mostDays} days for which browsers keep a cookie, and former users keep access until then; write a time such as 30d`,
    });
  const tokens = [
    { keys: ["auth", "token_ttl"], ttl: auth.token_ttl },
    ...Object.entries(auth.profiles).flatMap(([name, { token_ttl: ttl }]) =>
      ttl === undefined ? [] : [{ keys: ["auth", "profiles", name, "token_ttl"], ttl }],
    ),
  ];
  for (const { keys, ttl } of tokens) {
    if (parseDuration(ttl) > session)
      found.push({
        keys,
        message: `is longer than session_ttl (${auth.session_ttl}), which ends tokens too; write a shorter time, or a longer session_ttl`,
      });
    if (parseDuration(ttl) < leastTokenMs)
      found.push({
        keys,
        message: `is so short that tokens end before viewers use them; write a time such as 5m`,
      });
  }
  return found;
}

function stores({ auth: { session }, cache }: AccessSettings): SessionDoubt[] {
  const { backend } = session;
  const shared = Object.entries(cache).find(([, slot]) => slot.backend === "redis");
  const found: SessionDoubt[] = [];
  if (backend !== "redis" && shared)
    found.push({
      keys: ["auth", "session", "backend"],
      message: `is ${backend}, which several servers cannot share, but cache.${shared[0]} is in Redis as if there were several: a login on one does not count on the next; write backend: redis`,
    });
  for (const other of ["path", "s3", "redis"] as const) {
    const own = backend === "filesystem" ? "path" : backend;
    if (other !== own && session[other])
      found.push({
        keys: ["auth", "session", other],
        message: `is ignored because auth.session.backend is ${backend}; write backend: ${other === "path" ? "filesystem" : other}, or remove it`,
      });
  }
  return found;
}

function cookies({ auth: { cookie }, base_url }: AccessSettings): SessionDoubt[] {
  const found: SessionDoubt[] = [];
  const base = parseUrl(base_url)?.pathname.replace(/\/+$/, "");
  const path = cookie.path.replace(/\/+$/, "");
  if (base !== undefined && !`${base}/iiif/`.startsWith(`${path}/`))
    found.push({
      keys: ["auth", "cookie", "path"],
      message: `browsers send the cookie only below ${path}, and this service is at ${base}/, so no login counts; write ${base || "/"}, or remove it`,
    });
  const sent = cookie.path || base;
  if (/^__Host-/i.test(cookie.name) && sent !== undefined && !/^\/?$/.test(sent))
    found.push({
      keys: ["auth", "cookie", "name"],
      message: `browsers refuse a cookie that begins with __Host- and has a path, here ${sent}, so no login counts; write path: /, or another name`,
    });
  return found;
}

function origins({ auth: { cors, profiles } }: AccessSettings): SessionDoubt[] {
  const { probe_origins: probes, token_origins: tokens, clickthrough_origins: agreed } = cors;
  const isForNothing =
    agreed.length > 0 && !Object.values(profiles).some(({ pattern }) => pattern === "clickthrough");
  const useless = {
    keys: ["auth", "cors", "clickthrough_origins"],
    message:
      "no profile has the pattern clickthrough, so these origins get no tokens; name them in token_origins, or remove the key",
  };
  const doubts = tokens.flatMap((origin, at) => {
    const keys = ["auth", "cors", "token_origins", at];
    const plain = isSafeTransport(new URL(origin))
      ? []
      : [
          {
            keys,
            message: `${origin} is http, so anyone on the way can impersonate the viewer and get its tokens; write its https address`,
          },
        ];
    const mute =
      probes.includes("*") || probes.includes(origin)
        ? []
        : [
            {
              keys,
              message: `${origin} may get tokens but may not read the probe, which tells viewers whether they need one; add it to probe_origins`,
            },
          ];
    return [...plain, ...mute];
  });
  return isForNothing ? [useless, ...doubts] : doubts;
}
