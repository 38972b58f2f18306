// The verdict of the status page: current problems, one sentence each, with a link for the operator.

import type { CheckedPart } from "../../base/index.ts";
import { type RecentError, recentErrorsKept } from "../stats/requests.ts";

/** A current problem. */
export interface StatusProblem {
  readonly text: string;
  /** What to do about it, in one sentence. */
  readonly advice: string;
  /** Link to details: an address below /admin/, or a fragment of the status page. */
  readonly link: string;
  /** `bad`: visitors notice it; `warn`: somebody should look. */
  readonly level: "bad" | "warn";
}

/** All problems in one sentence, with the level of the worst. */
export interface Verdict {
  readonly text: string;
  readonly level: "good" | StatusProblem["level"];
}

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
const mostWaitingPerWorker = 64;

/**
 * Creates a function that judges the facts of successive frames; it remembers when log lines were dropped.
 */
export function createVerdict(): (facts: VerdictFacts) => readonly StatusProblem[] {
  let dropped = 0;
  let droppedAt = Number.NEGATIVE_INFINITY;
  return (facts) => {
    if (facts.droppedLines > dropped) {
      dropped = facts.droppedLines;
      droppedAt = facts.at;
    }
    const all = problemsOf(facts, facts.at - droppedAt < lately);
    if (all.length <= problemsShown) return all;
    const rest = all.length - problemsShown + 1;
    return [
      ...all.slice(0, problemsShown - 1),
      {
        text: `${rest} more problems.`,
        advice: "Solve those above first; the tables below show all of them.",
        link: "#parts",
        level: "bad",
      },
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

function problemsOf(
  { at, checks: { sources = [], parts = [] }, caches, damaged, failures, waiting, workers }: VerdictFacts,
  dropsLines: boolean,
): StatusProblem[] {
  const failed = recentFailures(failures, at);
  const sickCaches = new Set(
    parts.flatMap(({ part, name, healthy }) => (part === "caches" && !healthy ? [name] : [])),
  );
  const problem = (
    level: StatusProblem["level"],
    link: string,
    text: string,
    advice: string,
  ): StatusProblem => ({ text, advice, link, level });
  return [
    ...sources
      .filter(({ healthy }) => !healthy)
      .map(({ name, lastError }) =>
        problem(
          "bad",
          "#sources",
          sentence(`The source ${name} cannot be used: ${lastError ?? "its check failed"}`),
          "Correct that; the service notices it within ten seconds.",
        ),
      ),
    ...parts
      .filter(({ healthy }) => !healthy)
      .map(({ part, name, error }) =>
        problem(
          "bad",
          part === "caches" ? "cache" : "#parts",
          sentence(`${partNames[part] ?? "The part"} ${name} cannot be used: ${error ?? "its check failed"}`),
          part === "caches"
            ? "Correct that; until then responses are the same, but slower."
            : "Correct that; the service notices it within ten seconds.",
        ),
      ),
    ...(failed > 0
      ? [
          problem(
            "bad",
            "#errors",
            `${failed === recentErrorsKept ? "At least " : ""}${failed} request${failed === 1 ? "" : "s"} failed in the last five minutes (status 5xx).`,
            "Look for lines of the level error in the log: each says why, and for which request.",
          ),
        ]
      : []),
    ...(waiting > mostWaitingPerWorker * Math.max(1, workers)
      ? [
          problem(
            "bad",
            "#stages",
            `${waiting.toLocaleString("en")} jobs wait for ${workers} worker${workers === 1 ? "" : "s"}: visitors wait, too.`,
            "Look at the slowest images below, and give the service more processors or another server.",
          ),
        ]
      : []),
    ...sources
      .filter(({ healthy, resting }) => healthy && resting)
      .map(({ name }) =>
        problem(
          "warn",
          "#sources",
          `The source ${name} did not respond and is not used for a moment.`,
          "Check its server or mount if this stays; the service tries it again by itself.",
        ),
      ),
    ...caches
      .filter(({ name, resting }) => resting && !sickCaches.has(name))
      .map(({ name }) =>
        problem(
          "warn",
          "cache",
          `The cache ${name} failed and is not used for a moment.`,
          "Check its disk or server if this stays; the service tries it again by itself.",
        ),
      ),
    ...(damaged > 0
      ? [
          problem(
            "warn",
            "#damaged",
            damaged === 1
              ? "A master is damaged: visitors see only part of it."
              : `${damaged.toLocaleString("en")} masters are damaged: visitors see only part of each.`,
            "Replace the file by a sound copy; the page of the image says what is wrong with it.",
          ),
        ]
      : []),
    ...(dropsLines
      ? [
          problem(
            "warn",
            "config",
            "Log lines were dropped because their reader is too slow.",
            "Make the reader of the log faster, or set log.requests to false.",
          ),
        ]
      : []),
  ];
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
};
