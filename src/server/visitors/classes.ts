// Classes of visitors: how each is known, and what it may use.

import type { Budget } from "../../base/index.ts";
import type { AgentKind } from "./agents.ts";
import { type History, isEarned, isLikeProgram } from "./history.ts";
import type { Shape } from "./shape.ts";

export const visitorClasses = [
  "known",
  "viewer",
  "listed",
  "reader",
  "newcomer",
  "crawler",
  "program",
  "claimed",
] as const;

/**
 * `known`: has a session, a token, a signed link, or is of a listed network. `viewer`: a browser
 * with our pass. `listed`: comes from a listed origin. `reader`: did what viewers do, or has proven work.
 * `newcomer`: has no history. `crawler`, `program`: says so, or asks for large images alone. `claimed`: names
 * a crawler that it is not.
 */
export type VisitorClass = (typeof visitorClasses)[number];

/**
 * What waits for a permit by turns, the best first: those who are welcome, those of listed sites, those who
 * earned it, and all others.
 */
export const turnGroups = ["welcome", "listed", "earned", "others"] as const;
export type TurnGroup = (typeof turnGroups)[number];

/** Shares of the work that groups get while others wait, in percent. */
export const groupShares: Readonly<Record<TurnGroup, number>> = {
  welcome: 40,
  listed: 20,
  earned: 25,
  others: 15,
};

/** Pools of work that networks share, as parts of the capacity. */
export const poolNames = ["viewers", "listed", "strangers", "newcomers", "programs"] as const;
export type Pool = (typeof poolNames)[number];

export interface ClassRow {
  readonly group: TurnGroup;
  /** Megapixels that one network may use: immediately and in an hour; undefined: no bound of its own. */
  readonly network?: { readonly burst: number; readonly perHour: number };
  /** The pool that it waits for. */
  readonly pool?: Pool;
  /** Larger pools that contain that one; what it uses is charged to them as well. */
  readonly around?: readonly Pool[];
  /** True if all its networks count as one in the pool, since a swarm sends one request from each. */
  readonly isSwarm?: boolean;
}

const ofProgram: ClassRow = {
  group: "others",
  network: { burst: 30, perHour: 30 },
  pool: "programs",
  around: ["newcomers", "strangers"],
};

export const classRows: Readonly<Record<VisitorClass, ClassRow>> = {
  known: { group: "welcome" },
  viewer: { group: "welcome", network: { burst: 300, perHour: 1200 }, pool: "viewers" },
  // Anyone can fake the field that names a site. Listed sites have a pool of their own, so that such clients
  // take nothing from our viewers.
  listed: { group: "listed", network: { burst: 300, perHour: 1200 }, pool: "listed" },
  reader: { group: "earned", network: { burst: 60, perHour: 120 }, pool: "strangers" },
  newcomer: { group: "others", pool: "newcomers", around: ["strangers"], isSwarm: true },
  crawler: ofProgram,
  program: ofProgram,
  // Like a swarm that has found a name to hide behind.
  claimed: { ...ofProgram, isSwarm: true },
};

/** Facts about a request that decide on the class of who sent it. */
export interface VisitorFacts {
  readonly isKnown: boolean;
  readonly hasPass: boolean;
  /** True if it has proven work. */
  readonly hasProof?: boolean | undefined;
  /** True if the page that shows the image is of a listed origin. */
  readonly isListed: boolean;
  readonly agent: AgentKind | "claimed";
}

/** Returns the class of the sender of a request; `history`: of its network, if that is remembered. */
export function classOf(
  { isKnown, hasPass, hasProof, isListed, agent }: VisitorFacts,
  history: History | undefined,
  shape: Shape,
  now: number,
): VisitorClass {
  if (isKnown) return "known";
  if (agent === "claimed") return agent;
  if (hasPass && agent === "browser") return "viewer";
  // The field that names the origin costs nothing to fake, so it helps only what viewers ask for.
  if (isListed && (shape === "tile" || shape === "document")) return "listed";
  if (agent !== "browser") return agent;
  if (history && isEarned(history, now)) return "reader";
  if (history && isLikeProgram(history)) return "program";
  return hasProof ? "reader" : "newcomer";
}

/** Milliseconds of work that count as a megapixel: to render one from a pyramid takes as long. */
export const msPerMegapixel = 20;

const hourMs = 3_600_000;

/** Returns the budget of one network, in megapixels. */
export const networkBudget = ({ burst, perHour }: NonNullable<ClassRow["network"]>): Budget => ({
  burst,
  perMs: perHour / hourMs,
});

/** A pool saves what is not used for this many milliseconds, which may then be used immediately. */
const poolBurstMs = 60_000;

/** Returns the budget of a pool, in megapixels: `percent` of what `permits` simultaneous jobs can do. */
export function poolBudget(percent: number, permits: number): Budget {
  const perMs = ((percent / 100) * permits) / msPerMegapixel;
  return { perMs, burst: perMs * poolBurstMs };
}
