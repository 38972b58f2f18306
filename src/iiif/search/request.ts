// Parameters of requests to search services (Content Search 2.0, sections 4.1 and 5.1; 1.0, sections 3.2 and
// 4.2).

import { ServiceError } from "../../base/index.ts";
import type { SearchKind } from "./mounts.ts";

/** Filters that need an index of who made annotations and when. */
export type FurtherFilter = "date" | "user";

/** A range of moments in milliseconds since 1970, both ends included. */
export type DateRange = readonly [from: number, to: number];

export interface SearchRequest {
  /** What to search for, or the beginning of a term; "" finds nothing. */
  readonly query: string;
  /** Motivations of which one has to match, without prefixes; absent for any. */
  readonly motivations?: readonly string[];
  readonly dates?: readonly DateRange[];
  /** Ids of people. */
  readonly users?: readonly string[];
  /** Occurrences below which a term is left out. */
  readonly fewest: number;
  /** From 1. */
  readonly page: number;
  /** Names of the parameters that make no difference. */
  readonly ignored: readonly string[];
  /** The other parameters as received, without the page. */
  readonly sent: readonly (readonly [name: string, value: string])[];
}

/** Maximum number of characters of the query. */
const maxQuery = 1000;
/** Maximum number of characters of the value of another parameter. */
const maxValue = 4000;
/** Maximum items of a list. */
const maxItems = 50;
/** Maximum page, and occurrences of a term. */
const maxNumber = 1_000_000_000;
/** Maximum number of parameters that are looked at. */
const maxParameters = 100;
/** Maximum number of characters of a name that is repeated in a response. */
const maxName = 40;

/** Parameters that each service supports without further filters. */
const supported: Readonly<Record<SearchKind, readonly string[]>> = {
  search: ["q", "motivation", "page"],
  autocomplete: ["q", "motivation", "min"],
};

/**
 * Reads the parameters of a request. `further`: filters that the index of the service supports. Of a repeated
 * parameter the first value counts, and an empty one restricts nothing. Throws ServiceError `bad-request`
 * (`invalid_search`) for values that are too long or not of their form.
 */
export function readSearchRequest(
  parameters: URLSearchParams,
  kind: SearchKind,
  further: readonly FurtherFilter[] = [],
): SearchRequest {
  const known = new Set([...supported[kind], ...further]);
  const values = new Map<string, string>();
  const ignored = new Set<string>();
  for (const [name, value] of [...parameters].slice(0, maxParameters)) {
    if (value.trim() === "") continue;
    if (known.has(name)) values.set(name, values.get(name) ?? value);
    else if (name.length <= maxName) ignored.add(name);
  }
  for (const [name, value] of values) {
    const max = name === "q" ? maxQuery : maxValue;
    if (value.length > max)
      throw invalidError(`at most ${max} characters in the parameter ${name}`, value.length);
  }
  const motivations = listIn(values, "motivation")?.map((word) => word.replace(/^(?:oa|sc):/, ""));
  const dates = listIn(values, "date")?.map(dateRange);
  const users = listIn(values, "user");
  return {
    query: values.get("q")?.trim() ?? "",
    ...(motivations && { motivations }),
    ...(dates && { dates }),
    ...(users && { users }),
    fewest: numberIn(values, "min"),
    page: numberIn(values, "page"),
    ignored: [...ignored],
    sent: [...values].filter(([name]) => name !== "page"),
  };
}

/** Returns the items of a list that spaces separate. */
function listIn(values: ReadonlyMap<string, string>, name: string): readonly string[] | undefined {
  const items = values.get(name)?.trim().split(/\s+/);
  if (items && items.length > maxItems)
    throw invalidError(`at most ${maxItems} values in the parameter ${name}`, items.length);
  return items;
}

/** Returns the value of a number from 1, which is 1 if there is none. */
function numberIn(values: ReadonlyMap<string, string>, name: string): number {
  const value = values.get(name)?.trim() ?? "1";
  if (!/^\d{1,10}$/.test(value) || Number(value) < 1 || Number(value) > maxNumber)
    throw invalidError(`a whole number from 1 in the parameter ${name}`, JSON.stringify(value.slice(0, 40)));
  return Number(value);
}

const moment = /^\d{4}-(?:0\d|1[0-2])-(?:[0-2]\d|3[01])T(?:[01]\d|2[0-4]):[0-5]\d:[0-5]\dZ$/;

function dateRange(text: string): DateRange {
  const [from = "", to = "", ...more] = text.split("/");
  const [start, end] = [Date.parse(from), Date.parse(to)];
  if (more.length > 0 || !moment.test(from) || !moment.test(to) || !(start <= end))
    throw invalidError(
      "ranges such as 2026-01-01T00:00:00Z/2026-12-31T23:59:59Z in the parameter date",
      JSON.stringify(text.slice(0, 60)),
    );
  return [start, end];
}

function invalidError(expected: string, received: string | number): ServiceError {
  return new ServiceError(
    "bad-request",
    `Expected ${expected}; received ${received}. Change the parameter, or leave it out.`,
    { code: "invalid_search" },
  );
}

/** What filters look at. */
export interface Filtered {
  /** Without prefixes. */
  readonly motivations: readonly string[];
  /** Milliseconds since 1970. */
  readonly created?: number;
  /** Ids of those who made it. */
  readonly creators?: readonly string[];
}

/**
 * The motivations of the text of a page: clients of version 1 know it as what is painted on the canvas, and
 * 3.0 as what supplements it.
 */
export const motivationsOfText: readonly string[] = ["supplementing", "painting"];

/**
 * True if the filters of a request let something through. A filter that is given lets nothing through that
 * does not say what it asks for.
 */
export function passesFilters(
  { motivations, dates, users }: SearchRequest,
  { motivations: own, created, creators = [] }: Filtered,
): boolean {
  const isWanted = (word: string) =>
    word === "non-painting" ? !own.includes("painting") : own.includes(word);
  if (motivations && !motivations.some(isWanted)) return false;
  if (dates && !dates.some(([from, to]) => created !== undefined && created >= from && created <= to))
    return false;
  return !users || users.some((user) => creators.includes(user));
}
