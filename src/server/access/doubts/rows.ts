// Rows of an operator's table of identifiers that no request finds.

import { doubtAt, type Finding } from "../../../base/index.ts";
import { checkIdentifier } from "../../../iiif/index.ts";
import type { TableRow } from "../../hooks/hook.ts";
import { impossibleText } from "../../hooks/mapping.ts";
import { spellingChecks } from "./rules.ts";
import type { AccessSettings } from "./settings.ts";

export type { TableRow };

/** Most rows that are named: nobody corrects more in one go. */
const max = 20;

/** Yields doubts about rows that are written as no identifier is, each with its line. */
export function* rowDoubts(
  rows: Iterable<TableRow>,
  settings: Pick<AccessSettings, "base_url">,
): Iterable<Finding> {
  let count = 0;
  for (const row of rows) {
    const message = doubtOf(row.identifier, settings);
    if (message === undefined) continue;
    if (++count > max) return yield doubtAt(table, "further rows have such mistakes");
    yield rowDoubt(row, message);
  }
}

const table = ["hook", "lookup", "file"];

/** Returns a doubt about a row, with its line. */
export const rowDoubt = ({ identifier, line }: TableRow, message: string): Finding =>
  doubtAt(
    table,
    `${line === undefined ? "" : `line ${line}: `}the row ${JSON.stringify(identifier)} ${message}`,
  );

function doubtOf(identifier: string, settings: Pick<AccessSettings, "base_url">): string | undefined {
  try {
    checkIdentifier(identifier);
  } catch {
    return `has no effect: ${impossibleText(identifier)}`;
  }
  if (/(^|\/)\*$/.test(identifier))
    return "has no effect on other identifiers, since rows name single images; write a rule of auth.rules for a folder";
  for (const check of spellingChecks) {
    const message = check(identifier, settings);
    if (message !== undefined) return message;
  }
  return undefined;
}
