// The latest access decisions, and counts of how many allowed or denied.

import type { Counts } from "../../base/index.ts";
import type { Caller, Decision, ResponseOutcome } from "./access.ts";

/**
 * `allow in part`: a document or page that lists images, some of which are hidden or reduced for the caller.
 */
export type Verdict = "allow" | "allow in part" | "deny" | "deny → substitute" | "deny → redirect";

/**
 * The subject of a decision: one image; a page that shows the contents of a folder; the same as a list for
 * programs; or a IIIF document of the Presentation API.
 */
export type Subject = "image" | "page" | "list" | "document";

export interface DecisionRecord {
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly subject: Subject;
  /** The requested identifier; "" is the top folder. */
  readonly identifier: string;
  /** Profile that the identifier needs; "" if unknown. */
  readonly profile: string;
  readonly verdict: Verdict;
  /** True if any rule or hook gates the request. */
  readonly gated: boolean;
  /** HTTP status of the response, whatever was decided; undefined until it is known. */
  readonly status: number | undefined;
}

/** Number of latest records of each kind that are kept. */
export const maxDecisions = 128;

/** Denials and substitutes; allowed requests for gated images; pages and documents; and public images. */
export type DecisionKind = "denied" | "granted" | "listed" | "public";

const kinds: readonly DecisionKind[] = ["denied", "granted", "listed", "public"];

export interface Decisions {
  /** Records a decision on a request of the caller. */
  note(caller: Pick<Caller, "identifier" | "outcome">, decision: Decision, subject?: Subject): void;
  /** Returns the newest first, of these kinds or all; empty if only public access is possible. */
  latest(of?: readonly DecisionKind[]): readonly DecisionRecord[];
}

/** Records nothing: for lookups that no client requested. */
export const unnoted: Pick<Decisions, "note"> = { note() {} };

interface RecordedDecision extends Omit<DecisionRecord, "status"> {
  /** Position among all decisions, since several may share a millisecond. */
  readonly nth: number;
  readonly outcome: ResponseOutcome;
}

/** Keeps the latest records of one kind. */
interface Ring {
  add(record: RecordedDecision): void;
  /** The newest first. */
  read(): readonly RecordedDecision[];
}

/**
 * Counts decisions and, if `createRing` is given, records them in one ring per kind, so that frequent kinds
 * do not push out the others.
 */
export function createDecisions(
  counts: Counts<"allowed" | "denied">,
  createRing?: (size: number) => Ring,
): Decisions {
  const rings = createRing && new Map(kinds.map((kind) => [kind, createRing(maxDecisions)]));
  let nth = 0;
  return {
    note({ identifier, outcome = {} }, decision, subject = "image") {
      const verdict = verdictOf(decision, subject);
      (verdict.startsWith("allow") ? counts.allowed : counts.denied).add();
      if (!rings) return;
      const profile = decision.profile ?? "";
      const gated = profile !== "" || !decision.allowed || decision.tier !== "public";
      const record = { nth: nth++, at: Date.now(), subject, identifier, profile, verdict, gated, outcome };
      rings.get(kindOf(record))?.add(record);
    },
    latest(of = kinds) {
      const entries = of.flatMap((kind) => rings?.get(kind)?.read() ?? []);
      return entries.sort((a, b) => b.nth - a.nth).map(withStatus);
    },
  };
}

const withStatus = ({ nth: _, outcome, ...record }: RecordedDecision): DecisionRecord => ({
  ...record,
  status: outcome.status,
});

function kindOf({
  subject,
  verdict,
  gated,
}: Pick<RecordedDecision, "subject" | "verdict" | "gated">): DecisionKind {
  if (subject !== "image") return "listed";
  if (verdict !== "allow") return "denied";
  return gated ? "granted" : "public";
}

/** A substitute counts as a denial. A list of images is never denied because of one of them. */
function verdictOf(decision: Decision, subject: Subject): Verdict {
  const isWhole = decision.allowed && decision.tier !== "substitute";
  if (isWhole) return "allow";
  if (subject !== "image") return "allow in part";
  if (decision.allowed) return "deny → substitute";
  return decision.status === 303 ? "deny → redirect" : "deny";
}
