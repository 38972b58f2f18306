// Builds every part once from the configuration and the platform, and closes them again.

import {
  type CheckResult,
  checkLog,
  type Finding,
  findingLine,
  type IpRange,
  type Log,
  type Platform,
  parseDuration,
  parseRange,
  type RequestRecord,
  remembering,
  runChecks,
} from "../base/index.ts";
import { type Access, everythingPublic } from "./access/access.ts";
import type { Auth } from "./access/auth.ts";
import { createDecisions, type Decisions } from "./access/decisions.ts";
import type { LinkSigner } from "./access/links/link-token.ts";
import { linkSignerOf } from "./access/links/live-links.ts";
import type { Operators } from "./access/operators/operators.ts";
import type { ContentStates } from "./bookmarks/content-states.ts";
import type { ConfigFile } from "./config/config-file.ts";
import { createLiveSettings, type LiveSettings } from "./config/live.ts";
import { operatorOf } from "./config/operator.ts";
import { addressWarnings } from "./config/reading/chosen-address.ts";
import { configWarnings } from "./config/reading/warnings.ts";
import { type Config, configTree } from "./config/schema.ts";
import { createFrames, type Frames } from "./dashboard/frame.ts";
import { createHub, type Hub } from "./dashboard/hub.ts";
import type { Hooks } from "./hooks/index.ts";
import { rendersAtOnce } from "./images/options.ts";
import type { RenderParts } from "./images/render.ts";
import type { Changes } from "./manifests/changes/changes.ts";
import { AnnotationFiles } from "./manifests/folders/annotation-files.ts";
import type { Folders } from "./manifests/folders/folders.ts";
import { createYamlReader } from "./manifests/folders/yaml-reader.ts";
import {
  buildChanges,
  buildFolders,
  buildManifests,
  buildSearch,
  buildSourceTexts,
} from "./manifests/index.ts";
import type { Manifests } from "./manifests/manifests.ts";
import type { Search } from "./manifests/search/search.ts";
import type { SourceTexts } from "./manifests/source-texts/source-text-search.ts";
import { ownTextReader } from "./manifests/texts/own-text.ts";
import { createPageTexts, type PageTexts } from "./manifests/texts/page-texts.ts";
import { TextIndex } from "./manifests/texts/text-index.ts";
import { createTextSearch, type TextSearch } from "./manifests/texts/text-search.ts";
import { buildOuterParts } from "./parts.ts";
import { type Readiness, readinessOf } from "./readiness.ts";
import { buildRendering } from "./rendering.ts";
import { createErrorReports, type ErrorReports } from "./reports/error-reports.ts";
import { askedEachMs, sampleParts } from "./sampled.ts";
import type { Sources } from "./sources/index.ts";
import { createHistory, type History, startHistory } from "./stats/history.ts";
import { decisionCounts, reportCounts, tracingCounts } from "./stats/parts.ts";
import { createRegistry, type Registry } from "./stats/registry.ts";
import { createRequestFigures, type RequestFigures } from "./stats/requests.ts";
import { createRing } from "./stats/ring.ts";
import { createStageFigures, type StageFigures } from "./stats/stages.ts";
import type { Slots } from "./stores/index.ts";
import { doubtfulHeaps, doubtfulVolumes } from "./stores/volume.ts";
import type { Tracing } from "./tracing/tracing.ts";
import { createLiveVisitors, type LiveVisitors } from "./visitors/live.ts";
import type { Robots } from "./visitors/robots/robots.ts";
import type { Verification } from "./visitors/verification/verification.ts";
import type { Pool } from "./workers/pool.ts";

export interface Service {
  readonly platform: Platform;
  readonly version: string;
  readonly startedAt: number;
  readonly log: Log;
  readonly images: RenderParts;
  /** Budget of memory for renders; responses that are being sent may take half as much. */
  readonly memoryBytes: number;
  /** Contents of the sources' folders. */
  readonly folders: Folders;
  /** Search in them by names, labels and metadata. */
  readonly search: Search;
  /** Absent if the Presentation API is disabled. */
  readonly manifests?: Manifests;
  /** The stream of changes to manifests; absent if it is disabled. */
  readonly changes?: Changes;
  /** Reads the text of pages. */
  readonly texts: PageTexts;
  /** Reads files of annotations next to images. */
  readonly annotationFiles: AnnotationFiles;
  /** Search in the text of a manifest. */
  readonly textSearch: TextSearch;
  /** Search in the text of whole sources; absent if nothing can be indexed. */
  readonly sourceTexts?: SourceTexts;
  readonly sources: Sources;
  readonly slots: Slots;
  /** Absent if there are none. */
  readonly hooks?: Hooks;
  /** Rules, profiles and sessions; absent if nothing is gated by them. */
  readonly auth?: Auth;
  /** Who may use the operator's pages; absent if the environment names nobody. */
  readonly operators?: Operators;
  /** Tells readers from crawlers. */
  readonly visitors: LiveVisitors;
  /** The signer of links with the keys in effect; undefined without keys. */
  readonly links: () => LinkSigner | undefined;
  /** What it tells crawlers. */
  readonly robots: Robots;
  /** Tells crawlers from those that only take their names. */
  readonly verification: Verification;
  /** Links to views; absent if they are disabled. */
  readonly contentStates?: ContentStates;
  /** Recent access decisions. */
  readonly decisions: Pick<Decisions, "latest">;
  /** All figures of the service; surfaces only read them. */
  readonly registry: Registry;
  /** Figures of requests, which the application reports. */
  readonly requests: RequestFigures;
  /** Figures of renders, likewise. */
  readonly stages: StageFigures;
  /**
   * The dashboard: frames of figures, who receives one each second, and the last hours of a few figures. The
   * last are absent without an operator, and on runtimes without timers of their own.
   */
  readonly dashboard: {
    readonly frames: Frames;
    readonly hub: Hub;
    readonly history?: Pick<History, "read">;
  };
  /** Receives requests that have no line in the log unless they failed; absent if each is to have one. */
  readonly summary?: RequestSummary;
  /** Reports responses with status 5xx; absent if disabled. */
  readonly reports?: Pick<ErrorReports, "report">;
  /** Absent if tracing is disabled. */
  readonly tracing?: Tracing;
  /** Values of Cache-Control for public responses. */
  readonly caching: { readonly image: string; readonly info: string; readonly documents: string };
  readonly proxies: readonly IpRange[];
  config(): Config;
  /**
   * Takes the live keys of a new configuration. Returns the keys that changed but wait for the next start.
   */
  reload(config: Config): readonly string[];
  /** Calls `act` after each reload. */
  subscribe: LiveSettings<Config>["subscribe"];
  /** Returns the keys that a reload of a configuration would apply, and those that would wait. */
  compare: LiveSettings<Config>["compare"];
  /** The configuration file; absent if the configuration comes from elsewhere. */
  readonly configFile?: ConfigFile;
  /** Runs the checks of all parts; logs nothing. */
  check(): Promise<readonly CheckResult[]>;
  /** Logs the changes since the previous results. */
  logResults(results: readonly CheckResult[]): void;
  /**
   * Returns the results of the checks and their time, at most ten seconds old. For figures and the dashboard.
   */
  health(): Promise<{ readonly results: readonly CheckResult[]; readonly checkedAt: number }>;
  /** Both, for /ready. */
  ready(): Promise<Readiness>;
  /** Ends endless responses, before a stop waits for all responses. */
  endStreams(): void;
  close(): Promise<void>;
}

/** Options of a service that are not configuration; see {@link createService}. */
export interface ServiceOptions {
  readonly access?: Access | undefined;
  readonly configFile?: ConfigFile | undefined;
  readonly pool?: Pool | undefined;
  readonly summary?: RequestSummary | undefined;
}

export interface RequestSummary {
  note(request: RequestRecord): void;
}

/**
 * Builds the service; `access` replaces the section `auth` in deciding who may have which image, `configFile`
 * is the file of `config`, `pool` is that of another service, which closes it. Throws if a part cannot be
 * built from the configuration.
 */
export async function createService(
  config: Config,
  platform: Platform,
  log: Log,
  version: string,
  { access, configFile, pool: shared, summary }: ServiceOptions = {},
): Promise<Service> {
  const settings = createLiveSettings(configTree(), config);
  const warn = (finding: Finding) => log.warn(findingLine(finding));
  if (configFile) addressWarnings(config, platform.name).forEach(warn);
  configWarnings(config, platform.name, platform.env).forEach(warn);
  doubtfulHeaps(config.cache, platform.memoryBytes).forEach(warn);
  const registry = createRegistry();
  const reports = createErrorReports(config.errors, {
    platform,
    version,
    log,
    counts: reportCounts(registry),
  });
  const outer = await buildOuterParts(config, platform, log, registry);
  const { slots, sources, hooks, auth, operators, contentStates, checks } = outer;
  // The start waits for no volume: one may hang.
  void doubtfulVolumes(config.cache, slots).then((doubts) => doubts.forEach(warn));
  const rules = access ?? auth?.access ?? everythingPublic;
  // If everything is public, tiles do not pay for a record that says so.
  const decisions = createDecisions(
    decisionCounts(registry),
    rules !== everythingPublic || hooks ? createRing : undefined,
  );
  const needs = { settings, platform, log, registry, outer, access: rules, decisions, pool: shared };
  const rendering = buildRendering(needs);
  const { images } = rendering;
  const { pool, admission, probes } = images;
  settings.subscribe(({ log: { level } }) => log.level(level));
  const permits = () =>
    rendersAtOnce(settings.current().image, platform.parallelism, platform.startWorker !== undefined);
  const visitors = createLiveVisitors(config.crawlers, permits(), outer.merging);
  settings.subscribe(({ crawlers }) => visitors.take(crawlers, permits()));
  let links = linkSignerOf(config.signed_links, platform.env);
  settings.subscribe(({ signed_links: options }) => {
    links = linkSignerOf(options, platform.env);
  });
  settings.subscribe((config) => auth?.kiosks.take(config.auth?.profiles ?? {}));
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

  const allChecks = [...checks, ...rendering.checks];
  const { info } = slots;
  const yaml = createYamlReader({ platform });
  const folders = buildFolders({
    info,
    readYaml: yaml.read,
    sources: config.sources,
    keepAlive: platform.keepAlive,
  });
  const hasIndex = !platform.connectionsEndWithRequest;
  const search = buildSearch({ info, sources, folders, options: config.sources, hasIndex });
  const aliases = config.aliases.map(({ prefix }) => prefix);
  const texts = createPageTexts(
    platform,
    slots.text,
    config.presentation.pdf_texts ? ownTextReader(images) : undefined,
  );
  const { startWorker, keepAlive } = platform;
  const textIndex = new TextIndex({
    texts,
    slot: slots.text,
    ...(startWorker && { startWorker }),
    keepAlive,
  });
  const textSearch = createTextSearch(textIndex, texts);
  const options = config.presentation;
  const annotationFiles = new AnnotationFiles(yaml.read);
  const files = { texts, annotationFiles };
  const manifests = buildManifests({ images, auth, folders, options, ...files, aliases, log });
  const changes =
    manifests && buildChanges({ images, auth, sources, folders, options, slot: slots.changes, log });
  const sourceTexts =
    manifests && hasIndex
      ? buildSourceTexts({
          ...{ images, auth, sources, folders, options, manifests, texts, log },
          index: textIndex,
          slot: slots.text,
          sourceOptions: config.sources,
          searchOptions: config.search,
          env: platform.env,
        })
      : undefined;
  const check = () => runChecks(allChecks);
  const logResults = checkLog(log);
  const health = remembering(askedEachMs, async () => ({ results: await check(), checkedAt: Date.now() }), {
    shares: !platform.connectionsEndWithRequest,
  });
  sampleParts(registry, {
    platform,
    version,
    startedAt,
    gates: { render: admission, probe: probes },
    pool,
    sidecars: images.sidecars,
    slots,
    sources,
    visitors,
    checks: allChecks,
    results: async () => (await health()).results,
  });
  const requests = createRequestFigures(registry);
  const stages = createStageFigures(registry);
  const frames = createFrames({
    damaged: images.damaged,
    platform,
    version,
    startedAt,
    registry,
    requests,
    stages,
    admission,
    pool,
    sidecars: images.sidecars,
    slots,
    sources,
    health,
  });
  const history =
    operatorOf(platform.env) && !platform.connectionsEndWithRequest ? createHistory(registry) : undefined;
  const stopHistory = history && startHistory(history);
  const hub = createHub(frames, { shared: !platform.connectionsEndWithRequest });

  return {
    platform,
    version,
    startedAt,
    log,
    images,
    memoryBytes: rendering.memoryBytes,
    folders,
    search,
    ...(manifests && { manifests }),
    ...(changes && { changes }),
    texts,
    annotationFiles,
    textSearch,
    ...(sourceTexts && { sourceTexts }),
    sources,
    slots,
    ...(hooks && { hooks }),
    ...(auth && { auth }),
    ...(operators && { operators }),
    ...(contentStates && { contentStates }),
    decisions,
    visitors,
    links: () => links,
    robots: outer.robots,
    verification: outer.verification,
    registry,
    requests,
    ...(reports && { reports }),
    stages,
    dashboard: { frames, hub, ...(history && { history }) },
    ...(tracing && { tracing }),
    caching: {
      image: `public, max-age=${Math.floor(parseDuration(config.http.image_max_age) / 1000)}`,
      info: `public, max-age=${Math.floor(parseDuration(config.http.info_max_age) / 1000)}`,
      documents: `public, max-age=${Math.floor(documentMaxAge(config) / 1000)}`,
    },
    proxies: config.trusted_proxies.map(parseRange),
    config: settings.current,
    reload: settings.take,
    subscribe: settings.subscribe,
    compare: settings.compare,
    ...(configFile && { configFile }),
    ...(summary && { summary }),
    check,
    logResults,
    health,
    async ready() {
      const results = await check();
      logResults(results);
      return readinessOf(results);
    },
    endStreams: hub.close,
    async close() {
      hub.close();
      stopHistory?.();
      sourceTexts?.close();
      yaml.close();
      texts.close();
      textSearch.close();
      await changes?.close();
      await Promise.allSettled([
        shared ? undefined : pool.close(),
        outer.close(),
        reports?.close(),
        tracing?.close(),
      ]);
    },
  };
}

/**
 * Returns milliseconds. A cached manifest hides new files, so no cache keeps one for longer than folders
 * count as unchanged here.
 */
function documentMaxAge({ http, sources }: Config): number {
  return Math.min(...[http.info_max_age, ...sources.map(({ revalidate }) => revalidate)].map(parseDuration));
}
