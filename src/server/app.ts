// The site map: every surface and middleware, in order.

import { Hono } from "hono";
import {
  type AnsweredRequest,
  createSendings,
  isWritten,
  parseDuration,
  parseTraceparent,
} from "../base/index.ts";
import { mountAuth } from "./api/auth/routes.ts";
import { mountContentState } from "./api/content-state/routes.ts";
import { mountHealth } from "./api/health/routes.ts";
import { collectionPages, mountHome } from "./api/home/routes.ts";
import { createCaps, maxTarget } from "./api/http/client/caps.ts";
import { baseUrl, clientAddress, forwardedHeaders } from "./api/http/client/client.ts";
import { refuseLongHeaders } from "./api/http/client/hooked-headers.ts";
import { longestHost } from "./api/http/client/host.ts";
import { createIgnoredLog } from "./api/http/client/ignored-headers.ts";
import { createSinglePeerWatch } from "./api/http/client/single-peer.ts";
import type { Env, RequestContext, Variables } from "./api/http/context.ts";
import { addCors } from "./api/http/cors.ts";
import { noteFailure } from "./api/http/failure.ts";
import { problemResponse, Refusal } from "./api/http/problem.ts";
import { addServerTiming, answerFields, createRequestIds, requestFields } from "./api/http/request-log.ts";
import { countedClass, createRoutes, dispatch, type Routes } from "./api/http/routes.ts";
import { forbidSniffing } from "./api/http/sniffing.ts";
import { createStaticFiles } from "./api/http/static.ts";
import { parseTarget } from "./api/http/target.ts";
import { mountImage } from "./api/image/routes.ts";
import { mountMcp } from "./api/mcp/routes.ts";
import { mountMetrics } from "./api/metrics/routes.ts";
import { mountPresentation } from "./api/presentation/routes.ts";
import { mountStatic } from "./api/static/routes.ts";
import { mountView } from "./api/view/routes.ts";
import type { Service } from "./service.ts";
import { isServiceFailure } from "./stats/requests.ts";

export type Surface = (routes: Routes, service: Service) => void;

/** The surfaces of the server. Their order does not matter: the longest path wins. */
export const surfaces: readonly Surface[] = [
  mountHealth,
  mountMetrics,
  mountHome,
  mountStatic,
  mountImage,
  mountPresentation,
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
  const { platform, log, requests, tracing } = service;
  const targetOf = (request: Request) => parseTarget(platform.rawTarget(request), request.url);
  const app = new Hono<Env>({ getPath: (request) => targetOf(request).path });
  const caps = createCaps(requests.refused);
  const files = createStaticFiles((path) => platform.asset(path));
  const nextId = createRequestIds();
  const compresses = service.config().http.compression === "on";
  const timed = service.config().http.server_timing;
  const configured = service.config().base_url.replace(/\/+$/, "");
  const readerTrust = { proxies: service.auth?.proxies ?? service.proxies, baseUrl: "" };
  const framing = service.config().http.frame_ancestors.map((site) => (site === "self" ? "'self'" : site));
  const framedBy = framing.join(" ") || "'none'";
  const pacing = platform.sendsPieces
    ? {
        sendings: createSendings(mostSendingBytes(service)),
        stallMs: parseDuration(service.config().write_timeout),
      }
    : undefined;
  const watchPeer = service.proxies.length === 0 ? createSinglePeerWatch(log) : undefined;
  const { engine, headers: seen } = service.config().hook;
  const hooked = engine === "noop" ? [] : seen;
  const noteIgnored = createIgnoredLog(log);
  const routes = createRoutes();
  for (const mount of [...surfaces, ...further]) mount(routes, service);

  // Records the facts of every request, including failed ones: some before it is handled, the cross-origin
  // headers of its route and its figures after.
  app.use(async (c, next) => {
    const began = performance.now();
    requests.begin();
    const peer = platform.clientAddress(c.req.raw);
    watchPeer?.(peer, c.req.raw.headers);
    const trust = { proxies: service.proxies, baseUrl: configured };
    const target = targetOf(c.req.raw);
    const base = baseUrl(c.req.raw, peer, trust, noteIgnored);
    c.set("target", target);
    const route = routes.find(target.path);
    c.set("route", route);
    c.set("id", nextId());
    c.set("began", began);
    const outcome: Variables["outcome"] = {};
    c.set("outcome", outcome);
    c.set("files", files);
    c.set("compression", compresses && route?.compressed !== false ? platform.compression : undefined);
    c.set("pacing", pacing);
    c.set("framedBy", framedBy);
    c.set("peer", peer);
    c.set("client", clientAddress(c.req.raw.headers, peer, trust));
    c.set("reader", clientAddress(c.req.raw.headers, peer, readerTrust));
    c.set("base", base ?? "");
    c.set("baseHeaders", configured === "" ? forwardedHeaders(trust) : "");
    if (timed) c.set("serverTiming", "wanted");
    const { headers } = c.req.raw;
    const parent = headers.get("traceparent");
    const trace = tracing?.begin(parent, parent && headers.get("tracestate"));
    c.set("trace", trace ?? parseTraceparent(parent));
    await next();
    addCors(c);
    forbidSniffing(c);
    outcome.status = c.res.status;
    const counted = countedClass(route, target.path);
    const ended = performance.now();
    const answered: AnsweredRequest = {
      id: c.get("id"),
      method: c.req.method,
      path: target.path,
      route: counted || "stream",
      pattern: route?.path,
      status: c.res.status,
      code: c.get("failure")?.code,
      bytes: c.get("bytes") ?? 0,
      client: c.get("client"),
      began,
      ended,
      at: Date.now(),
      stages: c.get("stages"),
      trace: c.get("trace"),
    };
    const { status, bytes, stages } = answered;
    if (counted === false) requests.drop();
    else {
      if (stages) service.stages.record(stages, ended - began);
      requests.end(counted, status, bytes, ended - began, isChallenge(c));
      // Load balancer probes are useless in a trace.
      if (tracing && trace && counted !== "health") tracing.end(trace, answered);
    }
    // People who report a failure can identify the request.
    if (status >= 500) {
      c.res.headers.set("X-Request-Id", answered.id);
      if (isServiceFailure(status))
        service.reports?.report({
          ...requestFields(c),
          ...c.get("failure"),
          route: answered.route,
          status,
        });
    }
    addServerTiming(c, counted);
    logRequest(service, answered);
  });

  app.use(async (c, next) => {
    const base = c.get("base");
    const client = c.get("client");
    const route = c.get("route");
    const target = c.get("target");
    // RFC 9112, section 3.2: a server that accepted this as a host would write it into ids, links and
    // policies.
    if (base === "")
      throw new Refusal({
        status: 400,
        code: "bad_host",
        detail: `Expected one Host field with a name or an address of at most ${longestHost} characters and perhaps a port; received something else. Correct the Host field.`,
      });
    const longest = route?.maxTarget ?? maxTarget;
    if (target.path.length + target.query.length > longest)
      throw new Refusal({
        status: 414,
        code: "target_too_long",
        detail: `The address is longer than ${longest} characters.`,
      });
    refuseLongHeaders(c.req.raw.headers, hooked);
    const { max_in_flight, max_in_flight_per_ip } = service.config().limits;
    const place = route?.uncapped
      ? () => {}
      : caps.enter(client ?? platform.clientAddress(c.req.raw), {
          all: max_in_flight,
          perNetwork: max_in_flight_per_ip,
        });
    if (typeof place !== "function") throw new Refusal(place);
    try {
      await next();
    } finally {
      const sent = c.get("sent");
      if (sent) void sent.then(place);
      else place();
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

/** Writes the line of a request, or counts the request if lines are summed up; one that failed has both. */
function logRequest({ config, log, summary }: Service, answered: AnsweredRequest): void {
  const { requests: isLogged, level } = config().log;
  if (!isWritten("info", level)) return;
  const isSummed = isLogged === "auto" && summary !== undefined;
  if (isSummed) summary.note(answered);
  if (isSummed ? answered.status >= 500 : isLogged !== false)
    log.info("request", () => answerFields(answered));
}

/** Half of the memory for images, so that large responses and renders together keep to it. */
const mostSendingBytes = ({ memoryBytes }: Service): number => Math.max(64 * 2 ** 20, memoryBytes / 2);

/** True if the response asks for a name and password that the client has not sent yet. */
const isChallenge = ({ res, req }: RequestContext): boolean =>
  res.status === 401 &&
  /^Basic\b/.test(res.headers.get("WWW-Authenticate") ?? "") &&
  !req.raw.headers.has("Authorization");
