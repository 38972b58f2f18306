// The slowest renders of the last hour: of each image the slowest one.

import { indexOfStage, type StageClock, type StageName, stageNames } from "../../base/index.ts";

/** A slow render, with the facts needed to request it again. */
export interface SlowRender {
  /** Milliseconds since 1970. */
  readonly at: number;
  /** Identifier as requested, with its page. Truncated to {@link maxNameLength} characters. */
  readonly identifier: string;
  /** `region/size/rotation/quality.format` in the canonical spelling. */
  readonly request: string;
  /** Milliseconds from the request's arrival until its response. */
  readonly ms: number;
  /** The stage that took the largest part of that, with its milliseconds. */
  readonly stage: StageName;
  readonly stageMs: number;
}

export interface Slowest {
  /** Takes the render that a request began and waited for; `now`: milliseconds since 1970. */
  offer(stages: StageClock, ms: number, now: number): void;
  /** Returns the renders of the last hour, the slowest first. */
  read(now: number): readonly SlowRender[];
}

/** Number of recorded renders. */
export const maxSlowest = 10;
/**
 * An hour is divided into six spans, each with its slowest renders, so that those left when a span ends are
 * still the slowest.
 */
const spanMs = 10 * 60_000;
const spans = 6;
/** Characters of an identifier; a path has less. */
const maxNameLength = 1024;

interface Span {
  /** Its number since 1970. */
  number: number;
  /** The slowest first. */
  renders: readonly SlowRender[];
  /** Milliseconds that a render has to exceed. */
  least: number;
}

/** Creates an empty list, in bounded memory. Fast renders cost a few comparisons. */
export function createSlowest(): Slowest {
  // One more than an hour has: that of the current span is not full yet.
  const ring: Span[] = Array.from({ length: spans + 1 }, () => ({ number: -1, renders: [], least: 0 }));

  const spanAt = (now: number): Span => {
    const number = Math.floor(now / spanMs);
    const span = ring[number % ring.length] as Span;
    if (span.number !== number) Object.assign(span, { number, renders: [], least: 0 });
    return span;
  };

  return {
    offer(stages, ms, now) {
      const span = spanAt(now);
      if (ms <= span.least || !stages.render) return;
      const { request } = stages.render;
      const identifier = stages.render.identifier.slice(0, maxNameLength);
      // If few images are served, most renders are of one that has been slower.
      if (span.renders.some((render) => render.identifier === identifier && render.ms >= ms)) return;
      const slow = {
        at: now,
        identifier,
        request,
        ms,
        ...slowestStage(stages),
      };
      span.renders = slowestOf([...span.renders, slow]);
      if (span.renders.length === maxSlowest) span.least = span.renders.at(-1)?.ms ?? 0;
    },
    read(now) {
      const since = Math.floor(now / spanMs) - spans;
      const recent = ring.filter(({ number }) => number >= since).flatMap(({ renders }) => renders);
      return slowestOf(recent.filter(({ at }) => now - at <= spans * spanMs));
    },
  };
}

/** Returns the slowest render of each image, the slowest of all first. */
function slowestOf(renders: readonly SlowRender[]): readonly SlowRender[] {
  const byImage = new Map<string, SlowRender>();
  for (const render of renders.toSorted((a, b) => b.ms - a.ms))
    if (!byImage.has(render.identifier)) byImage.set(render.identifier, render);
  return [...byImage.values()].slice(0, maxSlowest);
}

/** Returns the slowest stage; storing is excluded, since it follows the response. */
function slowestStage(stages: StageClock): { readonly stage: StageName; readonly stageMs: number } {
  let slowest = 0;
  for (let i = 1; i < stageNames.length; i++)
    if (i !== indexOfStage.store && (stages.ms[i] ?? 0) > (stages.ms[slowest] ?? 0)) slowest = i;
  return { stage: stageNames[slowest] as StageName, stageMs: stages.ms[slowest] ?? 0 };
}
