// The table of all properties of Cantaloupe 4.1 to 6, one row each, in the order of its sample file.

import type { Row, Rows } from "./row.ts";
import { cacheRows } from "./rows/caches.ts";
import { logRows } from "./rows/log.ts";
import { overlayRows } from "./rows/overlay.ts";
import { processorRows } from "./rows/processors.ts";
import { serverRows } from "./rows/server.ts";
import { sourceRows } from "./rows/sources.ts";

export const cantaloupeRows: Rows = {
  ...serverRows,
  ...sourceRows,
  ...processorRows,
  ...cacheRows,
  ...overlayRows,
  ...logRows,
};

/** Returns the name under which Cantaloupe reads a property from the environment. */
export const variableOf = (property: string): string => property.toUpperCase().replace(/[^A-Z0-9]/g, "_");

const byVariable: ReadonlyMap<string, string> = new Map(
  Object.keys(cantaloupeRows).map((key) => [variableOf(key), key]),
);

/** Returns the property of a name, which may be that of a variable; undefined for an unknown one. */
export const propertyOf = (name: string): string | undefined =>
  Object.hasOwn(cantaloupeRows, name) ? name : byVariable.get(name);

export const rowOf = (property: string): Row | undefined =>
  Object.hasOwn(cantaloupeRows, property) ? cantaloupeRows[property] : undefined;
