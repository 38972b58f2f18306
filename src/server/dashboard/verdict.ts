// The verdict of the status page: current problems, one sentence each, with a link for the operator.

import { type CheckedPart, type Finding, type findingJson, worstFirst } from "../../base/index.ts";
import { maxRecentErrors, type RecentError } from "../stats/requests.ts";

/**
 * A current problem: `bad` if visitors notice it, `warn` if somebody should look. `link`: an address below
 * /admin/, or a fragment of the status page.
 */
export type StatusProblem = ReturnType<typeof findingJson.status>;

/** All problems in one sentence, with the level of the worst. */
export type Verdict = Pick<StatusProblem, "text" | "level">;

/** Results of the latest checks. */
export interface LatestChecks {
  readonly sources?: readonly {
    readonly name: string;
    readonly healthy: boolean;
    readonly resting: boolean;
    readonly lastError: string | null;
  }[];
  readonly parts?: readonly {
    readonly part: CheckedPart;
    readonly name: string;
    readonly healthy: boolean;
    readonly error: string | null;
  }[];
}

export interface VerdictFacts {
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly checks: LatestChecks;
  readonly caches: readonly { readonly name: string; readonly resting: boolean }[];
  /** Number of damaged masters requested recently. */
  readonly damaged: number;
  /** The latest failures of the service. */
  readonly failures: readonly RecentError[];
  /** Number of waiting jobs, and of jobs that can run. */
  readonly waiting: number;
  readonly workers: number;
  /** Number of log lines dropped since the start. */
  readonly droppedLines: number;
}

/** Maximum problems on the page; the last one then states how many more there are. */
export const problemsShown = 12;

/** Milliseconds during which failures and dropped lines count. */
const lately = 5 * 60_000;
/** Jobs per worker from which a queue counts as long. A viewer requests about 200 tiles at a time. */
const maxWaitingPerWorker = 64;

/**
 * Creates a function that judges the facts of successive frames; it remembers when log lines were dropped.
 * `where` of its findings is the link to details.
 */
export function createVerdict(): (facts: VerdictFacts) => readonly Finding[] {
  let dropped = 0;
  let droppedAt = Number.NEGATIVE_INFINITY;
  return (facts) => {
    if (facts.droppedLines > dropped) {
      dropped = facts.droppedLines;
      droppedAt = facts.at;
    }
    const all = worstFirst([...problemsOf(facts, facts.at - droppedAt < lately)]);
    if (all.length <= problemsShown) return all;
    const rest = all.length - problemsShown + 1;
    return [
      ...all.slice(0, problemsShown - 1),
      problem(
        "#parts",
        `${rest} more problems.`,
        "Solve those above first; the tables below show all of them.",
      ),
    ];
  };
}

/** Sums up the problems of a frame. */
export function verdictOf(problems: readonly StatusProblem[]): Verdict {
  const [worst] = problems;
  if (!worst) return { text: "Everything works.", level: "good" };
  const { length } = problems;
  const count = length === 1 ? "One thing" : `${length} things`;
  const text =
    worst.level === "bad"
      ? `${count} ${length === 1 ? "is" : "are"} wrong.`
      : `Everything works, but ${length === 1 ? "one thing needs" : `${length} things need`} a look.`;
  return { text, level: worst.level };
}

/** Returns the number of failures of the last five minutes, as far as they are recorded. */
export const recentFailures = (failures: readonly RecentError[], at: number): number =>
  failures.filter((each) => at - each.at < lately).length;

/** A problem that visitors notice, with the link to its details. */
const problem = (where: string, text: string, advice: string): Finding => ({
  level: "problem",
  where,
  text,
  advice,
});

/** Something that visitors do not notice. */
const note = (...about: Parameters<typeof problem>): Finding => ({ ...problem(...about), level: "note" });

/** Yields what is wrong with sources, caches and other parts. */
function* partProblems({ checks: { sources = [], parts = [] }, caches }: VerdictFacts): Iterable<Finding> {
  for (const { name, healthy, resting, lastError } of sources)
    if (!healthy)
      yield problem(
        "#sources",
        sentence(`The source ${name} cannot be used: ${lastError ?? "its check failed"}`),
        "Correct that; the service notices it within ten seconds.",
      );
    else if (resting)
      yield note(
        "#sources",
        `The source ${name} did not respond and is not used for a moment.`,
        "Check its server or mount if this stays; the service tries it again by itself.",
      );
  const sick = parts.filter(({ healthy }) => !healthy);
  for (const { part, name, error } of sick)
    yield problem(
      part === "caches" ? "cache" : "#parts",
      sentence(`${partNames[part] ?? "The part"} ${name} cannot be used: ${error ?? "its check failed"}`),
      part === "caches"
        ? "Correct that; until then responses are the same, but slower."
        : "Correct that; the service notices it within ten seconds.",
    );
  for (const { name, resting } of caches)
    if (resting && !sick.some((each) => each.part === "caches" && each.name === name))
      yield note(
        "cache",
        `The cache ${name} failed and is not used for a moment.`,
        "Check its disk or server if this stays; the service tries it again by itself.",
      );
}

/** Yields everything that is wrong, in no order of levels. */
function* problemsOf(facts: VerdictFacts, dropsLines: boolean): Iterable<Finding> {
  const { at, damaged, failures, waiting, workers } = facts;
  yield* partProblems(facts);
  const failed = recentFailures(failures, at);
  if (failed > 0)
    yield problem(
      "#errors",
      `${failed === maxRecentErrors ? "At least " : ""}${failed} request${failed === 1 ? "" : "s"} failed in the last five minutes (status 5xx).`,
      "Look for lines of the level error in the log: each says why, and for which request.",
    );
  if (waiting > maxWaitingPerWorker * Math.max(1, workers))
    yield problem(
      "#stages",
      `${waiting.toLocaleString("en")} jobs wait for ${workers} worker${workers === 1 ? "" : "s"}: visitors wait, too.`,
      "Look at the slowest images below, and give the service more processors or another server.",
    );
  if (damaged > 0)
    yield note(
      "#damaged",
      damaged === 1
        ? "A master is damaged: visitors see only part of it."
        : `${damaged.toLocaleString("en")} masters are damaged: visitors see only part of each.`,
      "Replace the file by a sound copy; the page of the image says what is wrong with it.",
    );
  if (dropsLines)
    yield note(
      "config",
      "Log lines were dropped because their reader is too slow.",
      "Make the reader of the log faster, or set log.requests to false.",
    );
}

/** Ends the text of an error like a sentence. */
const sentence = (text: string) => (text.endsWith(".") ? text : `${text}.`);

/** Beginning of a sentence about a part. */
const partNames: Readonly<Partial<Record<CheckedPart, string>>> = {
  caches: "The cache",
  hooks: "The hook",
  overlays: "The overlay",
  sessions: "The session store",
  passwords: "The password file",
  bookmarks: "The store of content states",
  providers: "The login provider",
  crawlers: "The list of crawlers",
};
