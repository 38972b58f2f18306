// The parts that depend on something outside of the process, such as folders and servers, with their checks.

import { type Check, createCounts, type Log, type Platform, parseDuration, version } from "../base/index.ts";
import { type Auth, createAuth } from "./access/auth.ts";
import { openLogins } from "./access/logins/logins.ts";
import { type Operators, openOperators } from "./access/operators/operators.ts";
import { createRowNames } from "./access/rules/row-names.ts";
import { buildSessions } from "./access/sessions/index.ts";
import { buildContentStates, type ContentStates } from "./bookmarks/content-states.ts";
import { operatorOf } from "./config/operator.ts";
import type { Config } from "./config/schema.ts";
import { buildEngine, createHooks, type Hooks } from "./hooks/index.ts";
import { sourceChecks } from "./sources/checks.ts";
import { buildSources, type SourceFigures, type Sources, userAgentOf } from "./sources/index.ts";
import { remoteFigures, slotCounts, sourceCounts } from "./stats/parts.ts";
import { createRegistry, type Registry } from "./stats/registry.ts";
import { slotChecks } from "./stores/checks.ts";
import { buildSlots, cacheFolders, type Slots } from "./stores/index.ts";
import { slotCounts as slotCountNames } from "./stores/slot.ts";
import type { Ledger } from "./visitors/merge.ts";
import { openMerging } from "./visitors/merge-open.ts";
import { openRobots, type Robots } from "./visitors/robots/robots.ts";
import { openVerification, type Verification } from "./visitors/verification/verification.ts";

export interface OuterParts {
  readonly sources: Sources;
  readonly slots: Slots;
  /** Absent if there are none. */
  readonly hooks?: Hooks;
  /** Absent without a section `auth`. */
  readonly auth?: Auth;
  /** Who may use the operator's pages; absent if the environment names nobody. */
  readonly operators?: Operators;
  /** Links to views; absent if they are disabled. */
  readonly contentStates?: ContentStates;
  /** What the service tells crawlers. */
  readonly robots: Robots;
  /** Tells crawlers from those that only take their names. */
  readonly verification: Verification;
  /** Shares with other servers what visitors have used; absent if servers share nothing. */
  readonly merging?: Ledger;
  readonly checks: readonly Check[];
  /** Closes all of them, whether or not one fails to. */
  close(): Promise<void>;
}

/**
 * Builds the parts, and registers their figures. Reads the files of hooks and logins; nothing else is read,
 * written or requested yet. Throws if one cannot be built from the configuration, after closing the others.
 */
export async function buildOuterParts(
  config: Config,
  platform: Platform,
  log: Log,
  registry: Registry = createRegistry(),
): Promise<OuterParts> {
  const built: Closable[] = [];
  const close = async () => {
    await Promise.allSettled(built.map(async (part) => part.close()));
  };
  try {
    const parts = await buildEach(config, platform, log, registry, (part) => {
      built.push(part);
      return part;
    });
    return { ...parts, close };
  } catch (error) {
    await close();
    throw error;
  }
}

interface Closable {
  close(): Promise<void> | void;
}

/** Returns the part, after noting that it has to be closed. */
type Keep = <P extends Closable>(part: P) => P;

async function buildEach(
  config: Config,
  platform: Platform,
  log: Log,
  registry: Registry,
  keep: Keep,
): Promise<Omit<OuterParts, "close">> {
  const keepsBookmarks = config.content_state.store.enabled;
  const folders =
    cacheFolders(config.cache, platform.env).size +
    (config.auth?.session.backend === "filesystem" ? 1 : 0) +
    (keepsBookmarks ? 1 : 0);
  // A slot that nothing uses has no figures.
  const countsOf = (slot: string) =>
    slot === "changes" && !config.presentation.changes.enabled
      ? createCounts(...slotCountNames)
      : slotCounts(registry, slot);
  const slots = keep(buildSlots(config.cache, platform, log, countsOf, folders));
  const figures: SourceFigures = {
    local: (name) => sourceCounts(registry, name),
    remote: (name) => remoteFigures(registry, name),
  };
  const userAgent = userAgentOf(version, config.base_url);
  const sources = buildSources(config.sources, platform, slots.origin, figures, userAgent);
  const engine = await buildEngine(config.hook, platform, log, createRowNames(sources.otherNames));
  const names = sources.all.map(({ name }) => name);
  const hooks = engine && keep(createHooks({ engine, options: config.hook, log, sources: names }));
  const host = { platform, log, folders, keep };
  const built = config.auth && (await buildAuth(config.auth, config, sources, host));
  const contentStates = buildContentStates(config.content_state, {
    ...host,
    presentation: config.presentation.enabled,
  });
  const owner = operatorOf(platform.env)?.user;
  const operators =
    owner === undefined ? undefined : keep(await openOperators(config.admin, { platform, log, owner }));
  const robots = await openRobots(config.robots, platform, log);
  const verification = await openVerification(config.crawlers.verified, platform, log);
  const opened = openMerging(config.crawlers, platform, log);
  const merging = opened && keep(opened);
  const checks = [
    ...sourceChecks(sources, config.sources),
    ...slotChecks(slots, config.cache, platform),
    ...(hooks?.checks ?? []),
    ...(built?.checks ?? []),
    ...(contentStates?.bookmarks ? [contentStates.bookmarks.check] : []),
    ...robots.checks,
    ...verification.checks,
    ...(operators?.checks ?? []),
    ...(merging ? [merging.check] : []),
  ];
  return {
    sources,
    slots,
    ...(hooks && { hooks }),
    ...(built && { auth: built.auth }),
    ...(contentStates && { contentStates }),
    ...(operators && { operators }),
    robots,
    verification,
    ...(merging && { merging }),
    checks,
  };
}

async function buildAuth(
  options: NonNullable<Config["auth"]>,
  { trusted_proxies: trustedProxies, presentation }: Config,
  sources: Sources,
  host: { readonly platform: Platform; readonly log: Log; readonly folders: number; readonly keep: Keep },
): Promise<{ readonly auth: Auth; readonly checks: readonly Check[] }> {
  const { sessions, checks } = buildSessions(options.session, parseDuration(options.session_ttl), host);
  host.keep(sessions);
  const logins = host.keep(await openLogins(options.profiles, host));
  const { otherNames: spellings } = sources;
  const { label: institution } = presentation.provider;
  const auth = createAuth({
    options,
    sessions,
    logins,
    log: host.log,
    institution,
    trustedProxies,
    spellings,
  });
  return { auth, checks: [...checks, ...logins.checks] };
}
