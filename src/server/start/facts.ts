// Facts about a ready service for the start text and the log, collected in bounded time.

import { type CheckResult, failureOf, type Platform, withDeadline } from "../../base/index.ts";
import type { Caller } from "../access/access.ts";
import { unnoted } from "../access/decisions.ts";
import { parseAddress } from "../config/address.ts";
import { operatorOf } from "../config/operator.ts";
import { countImages } from "../images/count-images.ts";
import { memoryBudget, rendersAtOnce } from "../images/options.ts";
import { firstPicture } from "../manifests/browse/first-picture.ts";
import { openSight } from "../manifests/browse/sight.ts";
import type { Service } from "../service.ts";
import type { Source } from "../sources/source.ts";
import { type StartFacts, startFields, startText } from "./text.ts";

/** Images after which a count stops, and the milliseconds that all looks together may take. */
const look = { max: 5000, ms: 1000 } as const;

export interface StartedWith {
  /** Addresses of the service, without a final slash; empty if the runtime does not report them. */
  readonly urls: readonly string[];
  /** Absolute path of the configuration file, if any. */
  readonly file: string | undefined;
  readonly results: readonly CheckResult[];
}

/**
 * Logs unusable parts, and prints what the service serves: text for a terminal, or one message of a JSON log.
 */
export async function printStart(service: Service, started: StartedWith): Promise<void> {
  service.logResults(started.results);
  const facts = await startFacts(service, started);
  if (service.config().log.format === "json") service.log.info("serving", startFields(facts));
  else service.platform.write?.("out", startText(facts));
}

/** Caller of the example in the start text: anyone. */
const strangerCaller = (identifier: string): Caller => ({ identifier, path: "/", header: () => undefined });

/** The facts of a service. Looks into its sources for at most a second; never throws. */
export async function startFacts(
  { platform, version, sources, folders, slots, images, auth, hooks, summary, config }: Service,
  { urls, file, results }: StartedWith,
): Promise<StartFacts> {
  const settings = config();
  const { program, folder } = platform.startCommands;
  const describeSource = async (source: Source) => {
    const own = results.find(({ check: { part, name } }) => part === "sources" && name === source.name);
    const location = own?.check.location;
    const unusable = own?.problem !== undefined;
    const count = unusable ? undefined : await countImages(source, look);
    return {
      name: source.name,
      prefix: source.prefix,
      ...(location !== undefined && { location }),
      ...(count && { count }),
      ...(unusable && { unusable }),
    };
  };
  const sight = openSight(
    { images: { ...images, decisions: unnoted }, auth, options: settings.presentation },
    strangerCaller,
    "",
  );
  // Nothing of it is remembered: the operator may add images once the text says that there are none.
  const over = AbortSignal.timeout(look.ms);
  const now = { find: (source: Source, key: string) => folders.read(source, key, undefined, over) };
  const [described, example] = await Promise.all([
    Promise.all(sources.all.map(describeSource)),
    withDeadline(look.ms, () => firstPicture({ sources, folders: now }, sight)).catch(() => undefined),
  ]);
  return {
    version,
    runtime: `${platform.name} ${platform.version}`,
    workers: rendersAtOnce(settings.image, platform.parallelism, platform.startWorker !== undefined),
    memoryBytes: memoryBudget(settings.image, platform.memoryBytes),
    configuration: file,
    urls,
    network: networkUrls(settings.addr, urls, platform),
    isSummed: summary !== undefined && settings.log.requests === "auto",
    sources: described,
    caches: slots.all.map(({ name, about }) => ({ name, about })),
    faults: results.flatMap(failureOf),
    isHooked: hooks?.has("authorize") === true,
    hasAdmin: operatorOf(platform.env) !== undefined,
    settings,
    folderCommand: program === undefined ? folder : `${program} DIR`,
    ...(example ? { example } : {}),
  };
}

/**
 * Returns the addresses by which other machines reach a service that listens everywhere. None in a container,
 * whose addresses are its own.
 */
function networkUrls(
  addr: string,
  urls: readonly string[],
  { networkAddresses, startCommands }: Platform,
): string[] {
  const { hostname } = parseAddress(addr);
  const isEverywhere = hostname === undefined || hostname === "0.0.0.0" || hostname === "::";
  const port = urls[0] && new URL(urls[0]).port;
  if (!isEverywhere || !port || startCommands.program === undefined) return [];
  return (networkAddresses?.() ?? []).map((ip) => `http://${ip.includes(":") ? `[${ip}]` : ip}:${port}`);
}
