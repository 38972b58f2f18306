// The site map: every surface and middleware, in order.

import { Hono } from "hono";
import {
  createSendings,
  isWritten,
  type Problem,
  parseDuration,
  parseTraceparent,
  type RequestRecord,
} from "../base/index.ts";
import { mountAuth } from "./api/auth/routes.ts";
import { mountChanges } from "./api/changes/routes.ts";
import { mountContentState } from "./api/content-state/routes.ts";
import { mountDownload } from "./api/download/routes.ts";
import { mountHealth } from "./api/health/routes.ts";
import { collectionPages, mountHome } from "./api/home/routes.ts";
import { createArrivals } from "./api/http/client/arrival.ts";
import { type CapLimits, createCaps, maxTarget } from "./api/http/client/caps.ts";
import { baseUrl, clientAddress, forwardedHeaders } from "./api/http/client/client.ts";
import { refuseLongHeaders } from "./api/http/client/hooked-headers.ts";
import { maxHost } from "./api/http/client/host.ts";
import { createIgnoredLog } from "./api/http/client/ignored-headers.ts";
import { createPasses, type Passes, passKinds } from "./api/http/client/passes.ts";
import { createSinglePeerWatch } from "./api/http/client/single-peer.ts";
import type { Env, RequestContext } from "./api/http/context.ts";
import { addCors } from "./api/http/cors.ts";
import { noteFailure } from "./api/http/failure.ts";
import { isOpenPath } from "./api/http/open-paths.ts";
import { noSuchPage, problemResponse, Refusal } from "./api/http/problem.ts";
import { createProofGate, type ProofGate, proofPath } from "./api/http/proof/gate.ts";
import { addServerTiming, createRequestIds, logFields, requestFields } from "./api/http/request-log.ts";
import { countedClass, createRoutes, dispatch, type Routes } from "./api/http/routes.ts";
import { cutToken } from "./api/http/signed-address.ts";
import { createStaticFiles } from "./api/http/static.ts";
import { parseTarget } from "./api/http/target.ts";
import { mountImage } from "./api/image/routes.ts";
import { mountMcp } from "./api/mcp/routes.ts";
import { mountMetrics } from "./api/metrics/routes.ts";
import { mountPresentation } from "./api/presentation/routes.ts";
import { mountSearch } from "./api/search/routes.ts";
import { mountStatic } from "./api/static/routes.ts";
import { mountView } from "./api/view/routes.ts";
import type { Service } from "./service.ts";
import { isServiceFailure } from "./stats/requests.ts";
import { createDenials } from "./visitors/denied-agents.ts";
import type { Visitor } from "./visitors/visitors.ts";

export type Surface = (routes: Routes, service: Service) => void;

/** The surfaces of the server. Their order does not matter: the longest path wins. */
export const surfaces: readonly Surface[] = [
  mountHealth,
  mountMetrics,
  mountHome,
  mountStatic,
  mountImage,
  mountPresentation,
  mountDownload,
  mountSearch,
  mountChanges,
  mountAuth,
  mountContentState,
  (routes, service) => mountView(routes, service, collectionPages),
  mountMcp,
];

/** Creates the whole service as a function from Request to Response. `further`: surfaces of other houses. */
export function createApp(
  service: Service,
  further: readonly Surface[],
): { fetch(request: Request): Promise<Response> } {
  const { platform, log, requests, tracing, reports, proxies } = service;
  // The table of routes finds the path.
  const app = new Hono<Env>({ getPath: () => "/" });
  const caps = createCaps(requests.refused);
  const files = createStaticFiles((path) => platform.asset(path));
  const nextId = createRequestIds();
  const compresses = service.config().http.compression === "on";
  const timed = service.config().http.server_timing;
  const trust = { proxies, baseUrl: service.config().base_url.replace(/\/+$/, "") };
  const baseHeaders = trust.baseUrl === "" ? forwardedHeaders(trust) : "";
  // Access trusts all of these proxies, and perhaps further ones.
  const readerProxies = service.auth?.proxies ?? proxies;
  const readerTrust = readerProxies.length > proxies.length ? { proxies: readerProxies } : undefined;
  const framing = service.config().http.frame_ancestors.map((site) => (site === "self" ? "'self'" : site));
  const framedBy = framing.join(" ") || "'none'";
  const pacing = platform.sendsPieces
    ? {
        sendings: createSendings(maxSendingBytes(service)),
        stallMs: parseDuration(service.config().write_timeout),
      }
    : undefined;
  const watchPeer = proxies.length === 0 ? createSinglePeerWatch(log) : undefined;
  const { engine, headers: seen } = service.config().hook;
  const hooked = engine === "noop" ? undefined : seen;
  const noteIgnored = createIgnoredLog(log);
  const routes = createRoutes();
  for (const mount of [...surfaces, ...further]) mount(routes, service);
  const signed = createSigned(passSecret(service));
  let live = liveSteps(service, signed);
  service.subscribe(() => {
    live = liveSteps(service, signed);
  });
  routes.add({
    path: proofPath,
    post(c) {
      if (!live.proof) throw new Refusal(noSuchPage);
      return live.proof.take(c);
    },
  });

  /** Records the facts that handlers use. Returns the trace, if there is tracing. */
  const begin = (c: RequestContext) => {
    const began = performance.now();
    requests.begin();
    const { raw } = c.req;
    const { headers } = raw;
    const peer = platform.clientAddress(raw);
    watchPeer?.(peer, headers);
    const { target, signed: link } = cutToken(parseTarget(platform.rawTarget(raw), raw.url));
    c.set("target", target);
    if (link) c.set("signed", link);
    const route = routes.find(target.path);
    c.set("route", route);
    c.set("id", nextId());
    c.set("began", began);
    c.set("outcome", {});
    c.set("files", files);
    c.set("compression", compresses && route?.compressed !== false ? platform.compression : undefined);
    c.set("pacing", pacing);
    c.set("framedBy", framedBy);
    c.set("peer", peer);
    const client = proxies.length > 0 ? clientAddress(headers, peer, trust) : peer;
    c.set("client", client);
    const visitor = live.meet?.(headers, client);
    c.set("visitor", visitor);
    c.set("passes", visitor?.isBrowser ? signed.passes : undefined);
    c.set("reader", readerTrust ? clientAddress(headers, peer, readerTrust) : client);
    c.set("base", trust.baseUrl || (baseUrl(raw, peer, trust, noteIgnored) ?? ""));
    c.set("baseHeaders", baseHeaders);
    if (timed) c.set("serverTiming", "wanted");
    const parent = headers.get("traceparent");
    const trace = tracing?.begin(parent, parent && headers.get("tracestate"));
    c.set("trace", trace ?? (parent === null ? undefined : parseTraceparent(parent)));
    return trace;
  };

  /** Adds the headers that all responses have, and records the response. */
  const end = (c: RequestContext, trace: ReturnType<typeof begin>): void => {
    const { path } = c.get("target");
    const route = c.get("route");
    addCors(c);
    addOperatorHeaders(c, live.headers);
    addReferrerPolicy(c);
    if (!settled.has(c.res.status)) c.res.headers.set("X-Content-Type-Options", "nosniff");
    c.get("outcome").status = c.res.status;
    const counted = countedClass(route, path);
    const request: RequestRecord = {
      id: c.get("id"),
      method: c.req.method,
      path,
      route: counted || "stream",
      pattern: route?.path,
      status: c.res.status,
      code: c.get("failure")?.code,
      bytes: c.get("bytes") ?? 0,
      client: c.get("client"),
      began: c.get("began"),
      ended: performance.now(),
      at: Date.now(),
      stages: c.get("stages"),
      trace: c.get("trace"),
    };
    const { id, status, bytes, stages, began, ended } = request;
    if (counted === false) requests.drop();
    else {
      if (stages) service.stages.record(stages, ended - began);
      requests.end(counted, status, bytes, ended - began, status === 401 && isChallenge(c));
      // Load balancer probes are useless in a trace.
      if (trace && counted !== "health") tracing?.end(trace, request);
    }
    // People who report a failure can identify the request.
    if (status >= 500) c.res.headers.set("X-Request-Id", id);
    if (isServiceFailure(status))
      reports?.report({ ...requestFields(c), ...c.get("failure"), route: request.route, status });
    if (timed) addServerTiming(c, counted);
    live.log?.(request);
  };

  // For every request, also those that are refused.
  app.use(async (c, next) => {
    const trace = begin(c);
    await next();
    end(c, trace);
  });

  app.use(async (c, next) => {
    const base = c.get("base");
    const route = c.get("route");
    const target = c.get("target");
    // RFC 9112, section 3.2: a server that accepted this as a host would write it into ids, links and
    // policies.
    if (base === "")
      throw new Refusal({
        status: 400,
        code: "bad_host",
        detail: `Expected one Host field with a name or an address of at most ${maxHost} characters and perhaps a port; received something else. Correct the Host field.`,
      });
    const maxLength = route?.maxTarget ?? maxTarget;
    if (target.path.length + target.query.length > maxLength)
      throw new Refusal({
        status: 414,
        code: "target_too_long",
        detail: `The address is longer than ${maxLength} characters.`,
      });
    if (live.isDenied?.(c.req.raw.headers.get("User-Agent")) && isOpenPath(target.path) && !isPreflight(c))
      throw new Refusal(agentDenied);
    if (hooked) refuseLongHeaders(c.req.raw.headers, hooked);
    const leave = route?.uncapped ? () => {} : caps.enter(c.get("client") ?? c.get("peer"), live.caps);
    if (typeof leave !== "function") throw new Refusal(leave);
    try {
      const page = live.proof && (await live.proof.ask(c));
      if (page) return page;
      await next();
    } finally {
      const sent = c.get("sent");
      if (sent) void sent.then(leave);
      else leave();
    }
  });

  app.all("*", dispatch);

  app.onError((error, c) => {
    c.set("hasCors", false); // the headers that an act had set are gone with its response
    if (timed) c.set("serverTiming", "wanted");
    return problemResponse(c, noteFailure(c, log, error));
  });

  return { fetch: (request) => Promise.resolve(app.fetch(request)) };
}

/**
 * Statuses of images, documents and pages, which have `X-Content-Type-Options` from the start: on Node,
 * adding one to a Response costs more than all others together. It keeps browsers from taking a response for
 * another type than it names (Fetch, section 3.6).
 */
const settled: ReadonlySet<number> = new Set([200, 206, 304]);

const agentDenied: Problem = {
  status: 403,
  code: "agent_denied",
  detail:
    "The operator of this service lets no program of this name fetch from it. Ask the operator for another way.",
};

/** True for a question of a browser, which only asks whether it may ask (Fetch, "CORS-preflight request"). */
const isPreflight = (c: RequestContext): boolean => c.req.method === "OPTIONS";

/** Adds the operator's headers to images, documents and pages. */
function addOperatorHeaders(c: RequestContext, headers: LiveSteps["headers"]): void {
  if (headers.length > 0 && c.res.status < 400 && isOpenPath(c.get("target").path))
    for (const [name, value] of headers) c.res.headers.set(name, value);
}

/** Has no file of a page name the page's address as its referrer if that contains a token; of errors too. */
function addReferrerPolicy(c: RequestContext): void {
  if (c.get("signed")?.path !== undefined) c.res.headers.set("Referrer-Policy", "no-referrer");
}

/** The steps of a request that depend on live settings. */
interface LiveSteps {
  readonly caps: CapLimits;
  /** Returns who sends a request; absent while crawlers are not told from readers. */
  readonly meet: ((headers: Headers, client: string | undefined) => Visitor) | undefined;
  /** Asks strangers to prove work; absent if nobody is asked. */
  readonly proof: ProofGate | undefined;
  /** True for an agent that gets nothing; absent if there are none. */
  readonly isDenied: ReturnType<typeof createDenials>;
  /** Headers of the operator's on images, documents and pages. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  /** Absent if no request is logged. */
  readonly log: ((request: RequestRecord) => void) | undefined;
}

/** Returns the secret by which passes are signed: the configured one, else one of this process. */
function passSecret({ config, platform }: Service): string {
  const name = config().crawlers.secret_env;
  return (name && platform.env[name]) || crypto.randomUUID() + crypto.randomUUID();
}

/** What is signed for visitors, which outlives changed settings. */
interface Signed {
  readonly secret: string;
  readonly passes: Passes;
  readonly proofs: Passes;
}

const createSigned = (secret: string): Signed => ({
  secret,
  passes: createPasses(secret, passKinds.viewer),
  proofs: createPasses(secret, passKinds.proof),
});

/** Puts the steps together by the settings in effect. */
function liveSteps({ config, log, summary, visitors, verification }: Service, signed: Signed): LiveSteps {
  const { limits, log: options, crawlers, robots } = config();
  const all = visitors.current();
  const { mode, proof } = crawlers;
  const isAsked = proof !== "off";
  const read = createArrivals(crawlers, signed.passes, isAsked ? signed.proofs : undefined, verification);
  const meet = all && ((headers: Headers, client: string | undefined) => all.meet(read(headers, client)));
  const caps = { all: limits.max_in_flight, perNetwork: limits.max_in_flight_per_ip };
  const write = (request: RequestRecord) => log.info("request", () => logFields(request));
  // If lines are summed up, a request that failed has one nevertheless.
  const sum = (request: RequestRecord) => {
    summary?.note(request);
    if (request.status >= 500) write(request);
  };
  const note = summary && options.requests === "auto" ? sum : write;
  const isLogged = options.requests !== false && isWritten("info", options.level);
  return {
    caps,
    meet,
    proof:
      meet && isAsked && mode !== "off"
        ? createProofGate({
            ...signed,
            asks: proof,
            mode,
            visitors: all,
            meet: (c) => meet(c.req.raw.headers, c.get("client")),
          })
        : undefined,
    isDenied: createDenials(crawlers.denied_agents),
    headers: Object.entries(robots.headers),
    log: isLogged ? note : undefined,
  };
}

/** Half of the memory for images, so that large responses and renders together keep to it. */
const maxSendingBytes = ({ memoryBytes }: Service): number => Math.max(64 * 2 ** 20, memoryBytes / 2);

/** True if a 401 asks for a name and password that the client has not sent yet. */
const isChallenge = ({ res, req }: RequestContext): boolean =>
  /^Basic\b/.test(res.headers.get("WWW-Authenticate") ?? "") && !req.raw.headers.has("Authorization");
