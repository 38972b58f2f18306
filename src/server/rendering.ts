// Everything that rendering needs: the pool, admission, overlays and sidecars, built from the configuration
// and the outer parts.

import { type Check, type Log, type Platform, parseDuration } from "../base/index.ts";
import { createCodecs, deflateIdentity, formatsWith } from "../imaging/index.ts";
import type { Access } from "./access/access.ts";
import type { Decisions } from "./access/decisions.ts";
import { hookRequestOf } from "./access/rules/hook-request.ts";
import { hookedAccess } from "./access/rules/hooked.ts";
import type { LiveSettings } from "./config/live.ts";
import type { Config } from "./config/schema.ts";
import { createAdmission } from "./images/admission/admit.ts";
import { createDamagedMasters } from "./images/damaged-masters.ts";
import { createIgnoredProfiles } from "./images/ignored-profiles.ts";
import { createLatestRenders } from "./images/latest-renders.ts";
import { cacheShares, memoryBudget, rendersAtOnce } from "./images/options.ts";
import { overlayChecks } from "./images/overlay/check.ts";
import { createOverlays } from "./images/overlay/overlays.ts";
import { outputPolicy } from "./images/policy.ts";
import type { RenderParts } from "./images/render.ts";
import { createResolvedMasters } from "./images/resolved-masters.ts";
import { minCacheBytes } from "./images/sidecar/jobs.ts";
import { createSidecars } from "./images/sidecar/sidecars.ts";
import type { OuterParts } from "./parts.ts";
import { admissionFigures, poolCounts } from "./stats/parts.ts";
import type { Registry } from "./stats/registry.ts";
import { codecHost } from "./workers/codec-host.ts";
import { type Pool, WorkerPool } from "./workers/pool.ts";

/** Dependencies of rendering. */
export interface RenderingNeeds {
  readonly settings: LiveSettings<Config>;
  readonly platform: Platform;
  readonly log: Log;
  readonly registry: Registry;
  readonly outer: Pick<OuterParts, "sources" | "slots" | "hooks">;
  /** The rules, which are asked after the authorize hook. */
  readonly access: Access;
  readonly decisions: Decisions;
  /** Runs the jobs in place of a pool of its own. */
  readonly pool?: Pool | undefined;
}

/**
 * Jobs of a lane and source that may wait per permit. A viewer requests about 200 tiles simultaneously and
 * shows a hole for each that is refused; a waiting job holds no pixels, only its request.
 */
const waitingPerPermit = 256;

/** An overlay is small, and many requests wait for it. */
const overlayWork = { kind: "overlay", ms: 5 } as const;

/**
 * Starts the pool, unless one is given, and returns what renders, with its memory budget in bytes and the
 * checks of overlays. The number of permits follows the settings while it runs.
 */
export function buildRendering({
  settings,
  platform,
  log,
  registry,
  outer: { sources, slots, hooks },
  access,
  decisions,
  pool: given,
}: RenderingNeeds): {
  readonly images: RenderParts;
  readonly memoryBytes: number;
  readonly checks: readonly Check[];
} {
  const config = settings.current();
  const workers = () =>
    rendersAtOnce(settings.current().image, platform.parallelism, platform.startWorker !== undefined);
  const memory = memoryBudget(config.image, platform.memoryBytes);
  const gate = () => ({
    permits: workers(),
    memory,
    waiting: waitingPerPermit * workers(),
    waitMs: parseDuration(settings.current().limits.max_wait) || Number.POSITIVE_INFINITY,
  });
  const ignoredProfiles = createIgnoredProfiles(log);
  const codecs = createCodecs(codecHost(platform, ignoredProfiles.tell));
  const pool =
    given ??
    new WorkerPool({
      platform,
      codecs,
      ignoredProfile: ignoredProfiles.tell,
      size: workers(),
      cacheBytes: (memory * cacheShares.workers) / workers(),
      log,
      counts: poolCounts(registry),
    });
  const admission = createAdmission(gate(), admissionFigures(registry, "render"));
  const probes = createAdmission(gate(), admissionFigures(registry, "probe"));
  const masters = { maxPixelArea: config.image.max_pixel_area };
  settings.subscribe(({ image }) => {
    masters.maxPixelArea = image.max_pixel_area;
    pool.resize(workers());
    admission.limit(gate());
    probes.limit(gate());
  });

  const timeoutMs = parseDuration(config.image.timeout);
  const overlays =
    hooks || config.overlay.image !== ""
      ? createOverlays({
          options: config.overlay,
          sources,
          platform,
          codecs,
          log,
          ...(hooks && {
            hook: {
              has: () => hooks.has("overlay"),
              ask: async ({ caller }) => caller && hooks.overlay(hookRequestOf(caller)),
              unusable: ({ identifier }, reason) => hooks.unusable("overlay", identifier, reason),
            },
          }),
          decode: (job, signal) =>
            admission.run({ memory: job.memory, work: overlayWork }, signal, () =>
              pool.run(job, { signal, timeoutMs }),
            ),
        })
      : undefined;
  const images: RenderParts = {
    sidecars: createSidecars({
      codecs,
      pool,
      origin: slots.origin,
      admission,
      timeoutMs,
      cacheBytes: Math.max(minCacheBytes, memory * cacheShares.sidecars),
      inPlace: !platform.startWorker,
    }),
    sources,
    access: hooks ? hookedAccess(access, { hooks, log, otherNames: sources.otherNames }) : access,
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
    damaged: createDamagedMasters(log, registry.counter("damaged_derivatives", {})),
    deflateIdentity: deflateIdentity(platform),
    sizes: {
      limits: {
        maxWidth: config.image.max_output_width,
        maxHeight: config.image.max_output_height,
        maxArea: config.image.max_output_area,
      },
      tileSize: config.image.tile_size,
    },
    formats: formatsWith(config.image.formats),
    preferredFormats: config.image.preferred_formats,
    timeoutMs,
    masters,
  };
  return { images, memoryBytes: memory, checks: overlays ? overlayChecks(overlays, config.overlay) : [] };
}
