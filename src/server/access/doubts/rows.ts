// Rows of an operator's table of identifiers that no request finds.

import { checkIdentifier } from "../../../iiif/index.ts";
import type { TableRow } from "../../hooks/hook.ts";
import { impossibleText } from "../../hooks/mapping.ts";
import { forms } from "./rules.ts";
import type { AccessSettings } from "./settings.ts";

export type { TableRow };

/** Most rows that are named: nobody corrects more in one go. */
const most = 20;

/** Returns what is wrong with rows that are written as no identifier is, each with its line. */
export function rowDoubts(rows: Iterable<TableRow>, settings: Pick<AccessSettings, "base_url">): string[] {
  const doubts: string[] = [];
  for (const { identifier, line } of rows) {
    const message = doubtOf(identifier, settings);
    if (message === undefined) continue;
    if (doubts.length === most) return [...doubts, "further rows have such mistakes"];
    doubts.push(rowText({ identifier, line }, message));
  }
  return doubts;
}

/** A message about a row, with its line. */
export const rowText = (
  { identifier, line }: Pick<TableRow, "identifier" | "line">,
  message: string,
): string => `${line === undefined ? "" : `line ${line}: `}the row ${JSON.stringify(identifier)} ${message}`;

function doubtOf(identifier: string, settings: Pick<AccessSettings, "base_url">): string | undefined {
  try {
    checkIdentifier(identifier);
  } catch {
    return `has no effect: ${impossibleText(identifier)}`;
  }
  if (/(^|\/)\*$/.test(identifier))
    return "has no effect on other identifiers, since rows name single images; write a rule of auth.rules for a folder";
  for (const form of forms) {
    const message = form(identifier, settings);
    if (message !== undefined) return message;
  }
  return undefined;
}
