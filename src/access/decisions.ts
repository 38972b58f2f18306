// What access has decided lately, and how often it allowed and denied.

import type { Counts } from "../lib/telemetry/count.ts";
import type { Decision } from "./access.ts";

export type Verdict = "allow" | "deny" | "deny → substitute" | "deny → redirect";

export interface DecisionRecord {
  /** Milliseconds since 1970. */
  readonly at: number;
  /** As asked for. */
  readonly identifier: string;
  /** The profile that the identifier needs; "" where it is public. */
  readonly profile: string;
  readonly verdict: Verdict;
  /** HTTP status that follows from the decision, whatever comes of the image. */
  readonly status: number;
}

/** Decisions of which the latest are kept. */
export const decisionsKept = 256;

export interface Decisions {
  note(identifier: string, decision: Decision): void;
  /** The newest first; none where nothing but public access is possible. */
  latest(): readonly DecisionRecord[];
}

/** Notes decisions in counters and, where there is one, in a ring of records. */
export function createDecisions(
  counts: Counts<"allowed" | "denied">,
  ring?: { add(record: DecisionRecord): void; read(): readonly DecisionRecord[] },
): Decisions {
  return {
    note(identifier, decision) {
      const verdict = verdictOf(decision);
      (verdict === "allow" ? counts.allowed : counts.denied).add();
      ring?.add({
        at: Date.now(),
        identifier,
        profile: decision.profile ?? "",
        verdict,
        status: decision.allowed ? 200 : decision.status,
      });
    },
    latest: () => ring?.read() ?? [],
  };
}

/** A substitute is what a denial shows. */
function verdictOf(decision: Decision): Verdict {
  if (decision.allowed) return decision.tier === "substitute" ? "deny → substitute" : "allow";
  return decision.status === 303 ? "deny → redirect" : "deny";
}
