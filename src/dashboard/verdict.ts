// The verdict of the status page: current problems, one sentence each, with a link for the operator.

import type { CheckedPart } from "../lib/checks.ts";
import { type RecentError, recentErrorsKept } from "../stats/requests.ts";

/** A current problem. */
export interface StatusProblem {
  readonly text: string;
  /** Link to details: an address below /admin/, or a fragment of the status page. */
  readonly link: string;
  /** `bad`: visitors notice it; `warn`: somebody should look. */
  readonly level: "bad" | "warn";
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
      { text: `${rest} more problems.`, link: "#parts", level: "bad" },
    ];
  };
}

function problemsOf(
  { at, checks: { sources = [], parts = [] }, caches, damaged, failures, waiting, workers }: VerdictFacts,
  dropsLines: boolean,
): StatusProblem[] {
  const failed = failures.filter((each) => at - each.at < lately).length;
  const sickCaches = new Set(
    parts.flatMap(({ part, name, healthy }) => (part === "caches" && !healthy ? [name] : [])),
  );
  const bad = (text: string, link: string): StatusProblem => ({ text, link, level: "bad" });
  const warn = (text: string, link: string): StatusProblem => ({ text, link, level: "warn" });
  return [
    ...sources
      .filter(({ healthy }) => !healthy)
      .map(({ name, lastError }) =>
        bad(sentence(`The source ${name} cannot be used: ${lastError ?? "its check failed"}`), "#sources"),
      ),
    ...parts
      .filter(({ healthy }) => !healthy)
      .map(({ part, name, error }) =>
        bad(
          sentence(`${partNames[part] ?? "The part"} ${name} cannot be used: ${error ?? "its check failed"}`),
          part === "caches" ? "cache" : "#parts",
        ),
      ),
    ...(failed > 0
      ? [
          bad(
            `${failed === recentErrorsKept ? "At least " : ""}${failed} request${failed === 1 ? "" : "s"} failed in the last five minutes (status 5xx).`,
            "#errors",
          ),
        ]
      : []),
    ...(waiting > mostWaitingPerWorker * Math.max(1, workers)
      ? [
          bad(
            `${waiting} jobs wait for ${workers} worker${workers === 1 ? "" : "s"}: visitors wait, too.`,
            "#stages",
          ),
        ]
      : []),
    ...sources
      .filter(({ healthy, resting }) => healthy && resting)
      .map(({ name }) =>
        warn(`The source ${name} did not respond and is not used for a moment.`, "#sources"),
      ),
    ...caches
      .filter(({ name, resting }) => resting && !sickCaches.has(name))
      .map(({ name }) => warn(`The cache ${name} failed and is not used for a moment.`, "cache")),
    ...(damaged > 0
      ? [
          warn(
            damaged === 1
              ? "A master is damaged: visitors see only part of it."
              : `${damaged} masters are damaged: visitors see only part of each.`,
            "#damaged",
          ),
        ]
      : []),
    ...(dropsLines ? [warn("Log lines were dropped because their reader is too slow.", "#parts")] : []),
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
