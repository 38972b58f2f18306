// Builds every part once from the configuration and the platform, and closes them again.

import { type Access, everythingPublic } from "./access/access.ts";
import type { Auth } from "./access/auth.ts";
import { createDecisions, type Decisions, decisionsKept } from "./access/decisions.ts";
import { hookRequestOf } from "./access/hook-request.ts";
import { hookedAccess } from "./access/hooked.ts";
import type { ContentStates } from "./bookmarks/content-states.ts";
import { deflateIdentity } from "./codecs/deflate-identity.ts";
import { createCodecs } from "./codecs/index.ts";
import { createPool } from "./codecs/run/pool.ts";
import type { ConfigFile } from "./config/editing/file.ts";
import { createLiveSettings, type LiveSettings } from "./config/live.ts";
import { configWarnings } from "./config/reading/warnings.ts";
import { type Config, configTree } from "./config/schema.ts";
import { createFrames, type Frames } from "./dashboard/frame.ts";
import { createHub, type Hub } from "./dashboard/hub.ts";
import type { Hooks } from "./hooks/index.ts";
import { createAdmission } from "./images/admission/admit.ts";
import { createIgnoredProfiles } from "./images/ignored-profiles.ts";
import { createLatestRenders } from "./images/latest-renders.ts";
import { memoryBudget, rendersAtOnce } from "./images/options.ts";
import { overlayChecks } from "./images/overlay/check.ts";
import { createOverlays } from "./images/overlay/overlays.ts";
import { outputPolicy } from "./images/plan/policy.ts";
import type { RenderParts } from "./images/render.ts";
import { createResolvedMasters } from "./images/resolved-masters.ts";
import { createSidecars } from "./images/sidecar/sidecars.ts";
import { remembering } from "./lib/caching/remember.ts";
import { type CheckedPart, checkedParts, checkLog, type Finding, runChecks } from "./lib/checks.ts";
import { type IpRange, parseRange } from "./lib/network/ip-range.ts";
import { parseDuration } from "./lib/options/quantity.ts";
import type { Log } from "./lib/telemetry/log.ts";
import type { Folders } from "./manifests/folders.ts";
import { buildFolders, buildManifests } from "./manifests/index.ts";
import type { Manifests } from "./manifests/manifests.ts";
import { buildOuterParts } from "./parts.ts";
import type { Platform } from "./platform/platform.ts";
import { createErrorReports, type ErrorReports } from "./reports/error-reports.ts";
import { askedEachMs, sampleParts } from "./sampled.ts";
import type { Sources } from "./sources/index.ts";
import { admissionFigures, decisionCounts, poolCounts, reportCounts, tracingCounts } from "./stats/parts.ts";
import { createRegistry, type Registry } from "./stats/registry.ts";
import { createRequestFigures, type RequestFigures } from "./stats/requests.ts";
import { createRing } from "./stats/ring.ts";
import { createStageFigures, type StageFigures } from "./stats/stages.ts";
import type { Slots } from "./stores/index.ts";
import type { Tracing } from "./tracing/tracing.ts";

export type Readiness = { readonly status: "ready" | "unready" } & {
  readonly [Part in Exclude<CheckedPart, OptionalPart>]: readonly Health[];
} & {
  /** Absent where there are none. */
  readonly [Part in OptionalPart]?: readonly Health[];
};

type OptionalPart = "hooks" | "overlays" | "sessions" | "passwords" | "bookmarks" | "providers";

export interface Health {
  readonly name: string;
  readonly backend: string;
  readonly healthy: boolean;
  readonly latencyMs: number;
  /** For the operator, without paths and secrets. */
  readonly error?: string;
}

export interface Service {
  readonly platform: Platform;
  readonly version: string;
  readonly startedAt: number;
  readonly log: Log;
  readonly images: RenderParts;
  /** What the folders of the sources hold. */
  readonly folders: Folders;
  /** Absent where presentation is switched off. */
  readonly manifests?: Manifests;
  readonly sources: Sources;
  readonly slots: Slots;
  readonly hooks: Hooks;
  /** Rules, profiles and sessions; absent where nothing is gated by them. */
  readonly auth?: Auth;
  /** Links to views; absent where they are off. */
  readonly contentStates?: ContentStates;
  /** What access has decided lately. */
  readonly decisions: Pick<Decisions, "latest">;
  /** All figures of the service; surfaces only read them. */
  readonly registry: Registry;
  /** Those of requests, which the application reports. */
  readonly requests: RequestFigures;
  /** Those of renders, likewise. */
  readonly stages: StageFigures;
  /** What operators watch: frames of figures, and who gets one each second. */
  readonly dashboard: { readonly frames: Frames; readonly hub: Hub };
  /** Where answers of status 5xx are reported; absent where nobody wants to know. */
  readonly reports?: Pick<ErrorReports, "report">;
  /** Absent where nothing is traced. */
  readonly tracing?: Tracing;
  /** Values of Cache-Control for public answers. */
  readonly caching: { readonly image: string; readonly info: string; readonly documents: string };
  readonly proxies: readonly IpRange[];
  config(): Config;
  /** Takes the live keys of a new configuration. Returns the keys that changed but wait for the next start. */
  reload(config: Config): readonly string[];
  /** Which keys a reload of a configuration would take, and which would wait. */
  compare: LiveSettings<Config>["compare"];
  /** The file that the configuration comes from; absent where it comes from elsewhere. */
  readonly configFile?: ConfigFile;
  /** Runs the checks of all parts; logs nothing. */
  check(): Promise<readonly Finding[]>;
  /** Logs what has changed since the findings before. */
  logFindings(findings: readonly Finding[]): void;
  /** What came of the checks, and when: asked again after ten seconds. For figures and the dashboard. */
  health(): Promise<{ readonly findings: readonly Finding[]; readonly checkedAt: number }>;
  /** Both, for /ready. */
  ready(): Promise<Readiness>;
  /** Ends the answers that never end by themselves, before a stop waits for all answers. */
  endStreams(): void;
  close(): Promise<void>;
}

/**
 * Jobs of a lane and source that may wait for each place. A viewer asks for some 200 tiles at once and shows a hole for
 * each that is refused; one that waits holds no pixels, only its request.
 */
const waitingPerPlace = 256;

/** An overlay is small, and many requests wait for it. */
const overlayWork = { kind: "overlay", ms: 5 } as const;

/**
 * Longest wait of a job where jobs run in place (workerd). Such a runtime does not hear of every client that leaves, so that
 * what nobody waits for any more has to go out of the way by its age.
 */
const waitInPlaceMs = 10_000;

/**
 * Builds the service; `access` decides who may have which image in place of the section `auth`, `configFile` is where `config` comes from. Throws when a part cannot be built from what the
 * configuration says.
 */
export async function createService(
  config: Config,
  platform: Platform,
  log: Log,
  version: string,
  access?: Access,
  configFile?: ConfigFile,
): Promise<Service> {
  const settings = createLiveSettings(configTree(), config);
  for (const { path, message } of configWarnings(config, platform.name, platform.env))
    log.warn(`${path}: ${message}`);
  const workers = () =>
    rendersAtOnce(settings.current().image, platform.parallelism, platform.startWorker !== undefined);
  const memory = memoryBudget(config.image, platform.memoryBytes);
  const gate = () => ({
    places: workers(),
    memory,
    waiting: waitingPerPlace * workers(),
    ...(!platform.startWorker && { waitMs: waitInPlaceMs }),
  });
  const ignoredProfiles = createIgnoredProfiles(log);
  const codecs = createCodecs({
    wasm: (name) => platform.wasm(name),
    deflate: (data, level) => platform.deflate(data, level),
    ignoredProfile: ignoredProfiles.tell,
  });
  const registry = createRegistry();
  const reports = createErrorReports(config.errors, {
    platform,
    version,
    log,
    counts: reportCounts(registry),
  });
  const outer = await buildOuterParts(config, platform, log, registry);
  const { slots, sources, hooks, auth, contentStates, checks } = outer;
  const rules = access ?? auth?.access ?? everythingPublic;
  // Where all is public, no tile pays for a record that says so.
  const decisions = createDecisions(
    decisionCounts(registry),
    rules !== everythingPublic || config.hook.engine !== "noop" ? createRing(decisionsKept) : undefined,
  );
  const pool = createPool({
    platform,
    codecs,
    ignoredProfile: ignoredProfiles.tell,
    size: workers(),
    log,
    counts: poolCounts(registry),
  });
  const admission = createAdmission(gate(), admissionFigures(registry, "render"));
  const probes = createAdmission(gate(), admissionFigures(registry, "probe"));
  settings.subscribe(({ log: { level } }) => {
    log.level(level);
    pool.resize(workers());
    admission.limit(gate());
    probes.limit(gate());
  });
  const droppedLines = registry.counter("log_dropped_lines", {});
  platform.onDropped?.(() => droppedLines.add());
  const startedAt = Date.now();
  const tracing = config.tracing.otlp_endpoint
    ? (await import("./tracing/tracing.ts")).createTracing(config.tracing, {
        platform,
        version,
        log,
        counts: tracingCounts(registry),
      })
    : undefined;

  const timeoutMs = parseDuration(config.image.timeout);
  const overlays = createOverlays({
    options: config.overlay,
    sources,
    platform,
    codecs,
    log,
    hook: {
      has: () => hooks.has("overlay"),
      ask: async ({ caller }) => caller && hooks.overlay(hookRequestOf(caller)),
      unusable: ({ identifier }, reason) => hooks.unusable("overlay", identifier, reason),
    },
    decode: (job, signal) =>
      admission.run({ memory: job.plan.memory, work: overlayWork }, signal, () =>
        pool.overlay(job, { signal, timeoutMs }),
      ),
  });
  const allChecks = [...checks, ...overlayChecks(overlays, config.overlay)];
  const images: RenderParts = {
    sidecars: createSidecars({
      codecs,
      pool,
      origin: slots.origin,
      admission,
      timeoutMs,
      inPlace: !platform.startWorker,
    }),
    sources,
    access: hookedAccess(rules, { hooks, log, otherNames: sources.otherNames }),
    hooks,
    resolved: createResolvedMasters(),
    decisions,
    log,
    codecs,
    pool,
    admission,
    probes,
    info: slots.info,
    render: slots.render,
    policy: outputPolicy(config.image),
    overlays,
    ignoredProfiles,
    latest: createLatestRenders(),
    deflateIdentity: deflateIdentity(platform),
    limits: {
      maxWidth: config.image.max_output_width,
      maxHeight: config.image.max_output_height,
      maxArea: config.image.max_output_area,
    },
    tileSize: config.image.tile_size,
    timeoutMs,
    maxPixelArea: () => settings.current().image.max_pixel_area,
  };
  const { info } = slots;
  const folders = buildFolders({ info, sources: config.sources, keepAlive: platform.keepAlive });
  const manifests = buildManifests({ images, auth, folders, options: config.presentation, log });
  const check = () => runChecks(allChecks);
  const logFindings = checkLog(log);
  const health = remembering(askedEachMs, async () => ({ findings: await check(), checkedAt: Date.now() }), {
    shares: !platform.connectionsEndWithRequest,
  });
  sampleParts(registry, {
    platform,
    version,
    startedAt,
    gates: { render: admission, probe: probes },
    pool,
    slots,
    sources,
    checks: allChecks,
    findings: async () => (await health()).findings,
  });
  const requests = createRequestFigures(registry);
  const stages = createStageFigures(registry);
  const frames = createFrames({
    platform,
    version,
    startedAt,
    registry,
    requests,
    stages,
    admission,
    pool,
    slots,
    sources,
    health,
  });
  const hub = createHub(frames, { shared: !platform.connectionsEndWithRequest });

  return {
    platform,
    version,
    startedAt,
    log,
    images,
    folders,
    ...(manifests && { manifests }),
    sources,
    slots,
    hooks,
    ...(auth && { auth }),
    ...(contentStates && { contentStates }),
    decisions,
    registry,
    requests,
    ...(reports && { reports }),
    stages,
    dashboard: { frames, hub },
    ...(tracing && { tracing }),
    caching: {
      image: `public, max-age=${Math.floor(parseDuration(config.http.image_max_age) / 1000)}`,
      info: `public, max-age=${Math.floor(parseDuration(config.http.info_max_age) / 1000)}`,
      documents: `public, max-age=${Math.floor(documentMaxAge(config) / 1000)}`,
    },
    proxies: config.trusted_proxies.map(parseRange),
    config: settings.current,
    reload: settings.take,
    compare: settings.compare,
    ...(configFile && { configFile }),
    check,
    logFindings,
    health,
    async ready() {
      const findings = await check();
      logFindings(findings);
      return readinessOf(findings);
    },
    endStreams: hub.close,
    async close() {
      hub.close();
      await Promise.allSettled([pool.close(), outer.close(), reports?.close(), tracing?.close()]);
    },
  };
}

/** Milliseconds. A copy of a manifest hides new files, so that nobody keeps one for longer than folders count as unchanged here. */
function documentMaxAge({ http, sources }: Config): number {
  return Math.min(...[http.info_max_age, ...sources.map(({ revalidate }) => revalidate)].map(parseDuration));
}

function readinessOf(findings: readonly Finding[]): Readiness {
  const healthOf = ({ check: { name, backend }, latencyMs, problem }: Finding): Health => ({
    name,
    backend,
    healthy: problem === undefined,
    latencyMs,
    ...(problem !== undefined && { error: problem }),
  });
  const parts = Object.keys(checkedParts)
    .map((part) => [part, findings.filter(({ check }) => check.part === part).map(healthOf)] as const)
    .filter(([part, health]) => part === "sources" || part === "caches" || health.length > 0);
  const lacking = findings.some(
    ({ check: { neededFor }, problem }) =>
      problem !== undefined && (neededFor === "start" || neededFor === "answers"),
  );
  return { status: lacking ? "unready" : "ready", ...Object.fromEntries(parts) } as Readiness;
}
