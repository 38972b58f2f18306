// What the start text and the log tell about a service that is ready to serve, gathered in bounded time.

import { countImages } from "./images/count-images.ts";
import { firstImages } from "./images/first-images.ts";
import { memoryBudget } from "./images/options.ts";
import { withDeadline } from "./lib/bounded-wait.ts";
import type { Readiness, Service } from "./service.ts";
import { placeOf } from "./sources/options.ts";
import type { Source } from "./sources/source.ts";
import { type StartFacts, startFields, startText } from "./start-text.ts";

/** Images after which a count stops, and the milliseconds that all looks together may take. */
const look = { most: 5000, ms: 1000 } as const;

export interface StartedWith {
  /** Where the service listens, without a final slash; empty where the runtime does not tell. */
  readonly urls: readonly string[];
  /** Absolute path of the configuration file; undefined where there is none. */
  readonly file: string | undefined;
  readonly readiness: Readiness;
}

/** Prints what a service serves: text for a terminal, or one message of a log in JSON, whose reader gets nothing else. */
export async function printStart(service: Service, started: StartedWith): Promise<void> {
  const facts = await startFacts(service, started);
  if (service.config().log.format === "json") service.log.info("serving", startFields(facts));
  else service.platform.write?.("out", startText(facts));
}

/** The facts of a service. Looks into its sources for at most a second; never throws. */
export async function startFacts(
  { platform, version, sources, slots, images, config }: Service,
  { urls, file, readiness }: StartedWith,
): Promise<StartFacts> {
  const { sources: options, ...settings } = config();
  const problems = (all: Readiness["sources"]) => new Map(all.map(({ name, error }) => [name, error]));
  const sourceProblems = problems(readiness.sources);
  const cacheProblems = problems(readiness.caches);
  const describeSource = async (source: Source) => {
    const own = options.find(({ name }) => name === source.name);
    const problem = sourceProblems.get(source.name);
    const count = problem === undefined ? await countImages(source, look) : undefined;
    return {
      name: source.name,
      prefix: source.prefix,
      ...(own ? { place: placeOf(own) } : {}),
      ...(count ? { count } : {}),
      ...(problem === undefined ? {} : { problem }),
    };
  };
  const [described, example] = await Promise.all([
    Promise.all(sources.all.map(describeSource)),
    withDeadline(look.ms, () => firstImages(images, sources.default, 1)).then(
      (listed) => listed.find(({ size }) => size) ?? listed[0],
      () => undefined,
    ),
  ]);
  return {
    version,
    runtime: `${platform.name} ${platform.version}`,
    workers: settings.image.max_concurrent || platform.parallelism,
    memoryBytes: memoryBudget(settings.image, platform.memoryBytes),
    configuration: file,
    urls,
    sources: described,
    caches: slots.all.map(({ name, about }) => {
      const problem = cacheProblems.get(name);
      return { name, about, ...(problem === undefined ? {} : { problem }) };
    }),
    settings,
    ...(example ? { example } : {}),
  };
}
