// Decides what visitors may use: knows each by its network and by what it did, and charges what it uses to
// budgets. Whether a request waits, is limited or is refused depends on its shape: viewers never ask again
// for a tile, so that tiles only wait.

import {
  anonymiseIp,
  type Budget,
  charge,
  emptyMeter,
  levelOf,
  type Meter,
  ServiceError,
  unlessAborted,
  type VisitorNetworks,
  visitorNetworks,
  waitOf,
} from "../../base/index.ts";
import type { AgentKind } from "./agents.ts";
import {
  type ClassRow,
  classOf,
  classRows,
  msPerMegapixel,
  networkBudget,
  type Pool,
  poolBudget,
  poolNames,
  type TurnGroup,
  type VisitorClass,
  visitorClasses,
} from "./classes.ts";
import { createHeaviest, type Heaviest } from "./heaviest.ts";
import {
  type History,
  isEarned,
  noteBig,
  noteEarned,
  noteInformation,
  noteTile,
  type SeenTile,
} from "./history.ts";
import type { Ledger } from "./merge.ts";
import { createNetworks } from "./networks.ts";
import { createPool, type SharedPool } from "./pools.ts";
import type { Shape } from "./shape.ts";

export interface VisitorLimits {
  /** `observe`: counts what `limit` would do, and does nothing of it. */
  readonly mode: "observe" | "limit";
  /** Number of jobs at a time, of which pools are parts. */
  readonly permits: number;
  /** Percent of the capacity that each pool may use. */
  readonly pools: Readonly<Record<Pool, number>>;
}

/** Who sends a request, as far as its headers tell. */
export interface Arrival {
  readonly client: string | undefined;
  /** `claimed`: it names a crawler that it is not. */
  readonly agent: AgentKind | "claimed";
  /** Name of a crawler or program, as it gives it; undefined for a browser. */
  readonly agentName?: string | undefined;
  /** Origin of the page that shows the image, if it is another site's. */
  readonly origin?: string | undefined;
  readonly isKnown: boolean;
  readonly hasPass: boolean;
  readonly hasProof?: boolean | undefined;
  readonly isListed: boolean;
}

/** The sender of a request for one image. */
export interface Visitor {
  /** The group in which its jobs take turns. */
  readonly group: TurnGroup;
  /** Name of its network, which takes turns with others of the group. */
  readonly network: string;
  /**
   * Records that it reads a document. Returns what to wait for if it is a crawler or a program that has used
   * its budget; it throws as `enter` does. Browsers never wait for documents.
   */
  read(signal?: AbortSignal): Promise<void> | undefined;
  /** True if it calls itself a browser: crawlers and programs get no pass. */
  readonly isBrowser: boolean;
  /** True if it calls itself a browser, and neither its history nor what it brings tells that it is one. */
  readonly isStranger: boolean;
  /** Records that it asks for image information. Returns true if it is limited to {@link limitedWidth}. */
  inform(identifier: string): boolean;
  /** Records the shape of what it asks for; `tile` if that is one. */
  ask(identifier: string, shape: Shape, tile?: SeenTile): void;
  /** True if what it asked for is more than it may have now, so that it gets a smaller size. */
  isLimited(megapixels: number): boolean;
  /**
   * Resolves when what it asked for, `megapixels` of a derivative that is not cached, may be rendered. Throws
   * `limited` (code visitor_budget), with the seconds to wait, `cancelled` if the signal aborts meanwhile.
   */
  enter(megapixels: number, signal?: AbortSignal): Promise<void>;
  /** Treats it as known from here on, since it has shown a signed link, or a login as a user. */
  welcome(): void;
  /** Charges the milliseconds of a job for it; those of several jobs add up. */
  chargeWork(ms: number): void;
}

/** What a class did, and what happened to it. */
export interface ClassCounts {
  requests: number;
  megapixels: number;
  ms: number;
  waited: number;
  limited: number;
  refused: number;
}

export interface Visitors {
  meet(arrival: Arrival): Visitor;
  limit(limits: VisitorLimits): void;
  /** Records that a stranger was asked to prove work, or would have been, or that a proof was checked. */
  noteProof(outcome: ProofOutcome): void;
  /** Counts of proofs since the start. */
  proofs(): Readonly<Record<ProofOutcome, number>>;
  /** Counts since the start, by class. */
  counts(): Readonly<Record<VisitorClass, Readonly<ClassCounts>>>;
  /** Returns the part of what a pool allows at once that is used; above 1 if it is used up. */
  poolUse(pool: Pool): number;
  /** Who uses most, in megapixels: networks, shortened; origins of pages; names of crawlers and programs. */
  heaviest(of: keyof HeaviestLists, count: number): ReturnType<Heaviest["top"]>;
}

/** `asked`: strangers who were asked to prove work; `solved`, `wrong`: proofs that came. */
export const proofOutcomes = ["asked", "solved", "wrong"] as const;
export type ProofOutcome = (typeof proofOutcomes)[number];

interface HeaviestLists {
  readonly networks: Heaviest;
  readonly origins: Heaviest;
  readonly agents: Heaviest;
}

/** Largest side of what a limited visitor may have, in pixels; tiles are smaller, so that zooming goes on. */
export const limitedWidth = 1024;

/** What a document counts, in megapixels: 0.4 ms of work. */
const documentMegapixels = 0.02;
/** Milliseconds that a request waits for its budget, at most; viewers give up after 30 s. */
const maxWaitMs = 10_000;
/** A network that has used this multiple of its burst at once is refused tiles too. */
const maxExcess = 10;
/** Networks that are remembered, with the /48 of IPv6. */
const networkBounds = { met: 20_000, proven: 30_000 };
/**
 * A network that has used this part of its burst is remembered apart from networks that were only met. A
 * crawler that wants all of these forgotten then needs about as long as their budgets need to recover.
 */
const provenPart = 1 / 10;
/** A /48 of IPv6 may use this many times what one network may. */
const siteFactor = 4;
/**
 * Requests of a class that wait for a budget. Of the last group, others are refused, since a swarm would get
 * everything at once otherwise; those of better groups go on to the queue of jobs.
 */
const maxWaiting = 2048;
const heaviestSize = 200;

/**
 * Creates visitors without history. `now`: milliseconds of a clock; `ledger`: shares what is charged with
 * other servers.
 */
export function createVisitors(initial: VisitorLimits, now: () => number, ledger?: Ledger): Visitors {
  let limits = initial;
  const networks = createNetworks(networkBounds);
  const servers = () => ledger?.servers() ?? 1;
  const pools = Object.fromEntries(poolNames.map((name) => [name, createPool(now(), servers)])) as Record<
    Pool,
    SharedPool
  >;
  const counts = Object.fromEntries(
    visitorClasses.map((name) => [
      name,
      { requests: 0, megapixels: 0, ms: 0, waited: 0, limited: 0, refused: 0 },
    ]),
  ) as Record<VisitorClass, ClassCounts>;
  const heaviest: HeaviestLists = {
    networks: createHeaviest(heaviestSize),
    origins: createHeaviest(heaviestSize),
    agents: createHeaviest(heaviestSize),
  };
  const proofs: Record<ProofOutcome, number> = { asked: 0, solved: 0, wrong: 0 };
  /** Requests that wait for a budget: a class takes no room from another. */
  const waiting = Object.fromEntries(visitorClasses.map((name) => [name, 0])) as Record<VisitorClass, number>;

  const budgetOf = (pool: Pool) => poolBudget(limits.pools[pool], limits.permits);

  /** The meters of a visitor's own networks, with their budgets. */
  const metersOf = ({ network, pool = "strangers" }: ClassRow, { network: own, site }: VisitorNetworks) => {
    if (!network) return [];
    const budget = networkBudget(network);
    // One for each pool: a shared one would drain at the rate of the class that is easiest to fake.
    const meterOf = (name: string) => {
      const { meters } = networks.meet(name, now());
      return (meters[pool] ??= emptyMeter(now()));
    };
    const meters: { name: string; meter: Meter; budget: Budget }[] = [
      { name: own, meter: meterOf(own), budget },
    ];
    if (site !== undefined)
      meters.push({
        name: site,
        meter: meterOf(site),
        budget: { perMs: budget.perMs * siteFactor, burst: budget.burst * siteFactor },
      });
    return meters;
  };

  class OneVisitor implements Visitor {
    #arrival: Arrival;
    readonly #networks: VisitorNetworks;
    /** What is known of its network; undefined if that is nothing. */
    #history: History | undefined;
    #class: VisitorClass;
    #shape: Shape = "document";
    /** Megapixels that were charged so far. */
    #charged = 0;
    /** Milliseconds of all jobs so far. */
    #workedMs = 0;
    /** True if `limit` would have refused what it asked for, so that it is charged to no budget. */
    #isRefused = false;

    constructor(arrival: Arrival) {
      this.#arrival = arrival;
      this.#networks = visitorNetworks(arrival.client);
      this.#history = networks.find(this.#networks.network);
      this.#class = this.#classify();
    }

    get group(): TurnGroup {
      return limits.mode === "limit" ? classRows[this.#class].group : "welcome";
    }

    get network(): string {
      return this.#networks.network;
    }

    get isBrowser(): boolean {
      return this.#arrival.agent === "browser";
    }

    get isStranger(): boolean {
      const { agent, hasProof } = this.#arrival;
      const isNew = this.#class === "newcomer" || this.#class === "program";
      return isNew && agent === "browser" && !hasProof;
    }

    welcome(): void {
      this.#arrival = { ...this.#arrival, isKnown: true };
      this.#class = this.#classify();
    }

    read(signal?: AbortSignal): Promise<void> | undefined {
      this.#count();
      if (classRows[this.#class].pool !== "programs" || this.#arrival.agent === "browser") return undefined;
      const wait = this.#waitMs(documentMegapixels);
      return this.#take(documentMegapixels, wait, this.#isExcessive(), signal);
    }

    inform(identifier: string): boolean {
      if (this.#class === "known") return false;
      noteInformation(this.#meet(), identifier, now());
      const isLimited = this.#waitMs(0) > maxWaitMs;
      if (isLimited) counts[this.#class].limited++;
      return isLimited && limits.mode === "limit";
    }

    ask(identifier: string, shape: Shape, tile?: SeenTile): void {
      this.#shape = shape;
      if (!this.#arrival.isKnown) {
        if (tile) this.#noteTile(identifier, tile);
        else if (shape === "big") noteBig(this.#meet(), now());
      }
      this.#class = this.#classify();
      this.#count();
    }

    isLimited(megapixels: number): boolean {
      if (this.#shape !== "big" || this.#waitMs(megapixels) <= maxWaitMs) return false;
      counts[this.#class].limited++;
      return limits.mode === "limit";
    }

    async enter(megapixels: number, signal?: AbortSignal): Promise<void> {
      const wait = this.#waitMs(megapixels);
      const isRefused = this.#shape === "tile" ? this.#isExcessive() : wait > maxWaitMs;
      this.#charged = megapixels;
      await this.#take(megapixels, wait, isRefused, signal);
    }

    chargeWork(ms: number): void {
      counts[this.#class].ms += ms;
      this.#workedMs += ms;
      const megapixels = this.#workedMs / msPerMegapixel;
      if (megapixels <= this.#charged) return;
      this.#charge(megapixels - this.#charged);
      this.#charged = megapixels;
    }

    /** Charges a use and waits for it, or refuses it. Returns undefined if there is nothing to wait for. */
    #take(
      megapixels: number,
      wait: number,
      isExcessive: boolean,
      signal: AbortSignal | undefined,
    ): Promise<void> | undefined {
      const name = this.#class;
      const count = counts[name];
      const isFull = wait > 0 && waiting[name] >= maxWaiting;
      const isRefused = isExcessive || (isFull && classRows[name].group === "others");
      this.#isRefused = isRefused;
      if (isRefused) {
        count.refused++;
        if (limits.mode === "limit") return Promise.reject(tooMuch(wait));
      }
      this.#charge(megapixels);
      if (wait === 0 || isRefused) return undefined;
      count.waited++;
      if (limits.mode === "observe" || isFull) return undefined;
      waiting[name]++;
      return unlessAborted(pause(Math.min(wait, maxWaitMs)), signal).finally(() => {
        waiting[name]--;
      });
    }

    #classify(): VisitorClass {
      return classOf(this.#arrival, this.#history, this.#shape, now());
    }

    #meet(): History {
      return (this.#history ??= networks.meet(this.#networks.network, now()));
    }

    #noteTile(identifier: string, tile: SeenTile): void {
      const { network, site } = this.#networks;
      const history = this.#meet();
      const hadEarned = isEarned(history, now());
      noteTile(history, identifier, tile, now());
      if (hadEarned || !isEarned(history, now())) return;
      if (site === undefined || noteEarned(networks.meet(site, now()), now())) networks.promote(network);
      else history.earnedAt = Number.NEGATIVE_INFINITY;
    }

    #count(): void {
      counts[this.#class].requests++;
    }

    #charge(megapixels: number): void {
      counts[this.#class].megapixels += megapixels;
      const { client, origin, agentName } = this.#arrival;
      if (client !== undefined) heaviest.networks.note(anonymiseIp(client) ?? "", megapixels);
      if (origin !== undefined) heaviest.origins.note(origin, megapixels);
      if (agentName !== undefined) heaviest.agents.note(agentName, megapixels);
      if (this.#isRefused) return;
      const row = classRows[this.#class];
      if (row.pool) this.#chargePool(row.pool, this.#partOf(row), megapixels);
      for (const pool of row.around ?? []) this.#chargePool(pool, undefined, megapixels);
      for (const { name, meter, budget } of metersOf(row, this.#networks)) {
        charge(meter, budget, megapixels, now());
        if (meter.level < provenPart * budget.burst) continue;
        networks.promote(name);
        ledger?.note(`${row.pool} ${name}`, meter, budget, megapixels);
      }
    }

    #chargePool(pool: Pool, network: string | undefined, megapixels: number): void {
      const budget = budgetOf(pool);
      pools[pool].charge(network, budget, megapixels, now());
      ledger?.note(`pool ${pool}`, pools[pool].meter, budget, megapixels, true);
    }

    /** Name of the network that has a part of its pool: a /48 of IPv6 as one, since it has 65,536 of /64. */
    #partOf({ isSwarm }: ClassRow): string | undefined {
      return isSwarm ? undefined : (this.#networks.site ?? this.#networks.network);
    }

    #waitMs(megapixels: number): number {
      const row = classRows[this.#class];
      let wait = row.pool
        ? pools[row.pool].waitOf(this.#partOf(row), budgetOf(row.pool), megapixels, now())
        : 0;
      for (const { meter, budget } of metersOf(row, this.#networks))
        wait = Math.max(wait, waitOf(meter, budget, now()));
      return wait;
    }

    /** True if the network itself is far beyond its budget; a pool that is empty refuses no tile. */
    #isExcessive(): boolean {
      return metersOf(classRows[this.#class], this.#networks).some(
        ({ meter, budget }) => levelOf(meter, budget, now()) > maxExcess * budget.burst,
      );
    }
  }

  return {
    meet: (arrival) => new OneVisitor(arrival),
    limit(changed) {
      limits = changed;
    },
    noteProof(outcome) {
      proofs[outcome]++;
    },
    proofs: () => proofs,
    counts: () => counts,
    poolUse(pool) {
      const budget = budgetOf(pool);
      return levelOf(pools[pool].meter, budget, now()) / budget.burst;
    },
    heaviest: (of, count) => heaviest[of].top(count),
  };
}

const pause = (ms: number) => new Promise<void>((resolve) => void setTimeout(resolve, ms));

const tooMuch = (waitMs: number) =>
  new ServiceError(
    "limited",
    "Your network has asked for more than it may at once. Wait, ask for less at a time, or ask the operator for a way to take the whole collection.",
    { code: "visitor_budget", retryAfter: Math.ceil(waitMs / 1000) },
  );
