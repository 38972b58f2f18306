// The table of docs/how-to/viewer-logins.md that says what readers see: ways and denials by viewers.

import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { logins } from "./gated-images.ts";

export interface Cell {
  /** True if the reader has logged in before. */
  readonly isIn: boolean;
  /** What is shown and offered initially, such as `reduced, bar`. */
  readonly before: string;
  /**
   * Effect of a login in the window: the whole image immediately, after a reload, or never; absent if nothing
   * is done.
   */
  readonly after: "whole" | "reload" | "never" | undefined;
}

interface Row extends Cell {
  readonly way: string;
  readonly denial: string;
  readonly text: string;
  /** Folder of images. */
  readonly folder: string;
  readonly login: keyof typeof logins;
}

/** The folder and the login of each way, and whether its reader has logged in before. */
const ways: Readonly<Record<string, { folder: string; login: keyof typeof logins; isIn?: true }>> = {
  "kiosk, in the room": { folder: "room", login: "room" },
  "kiosk, elsewhere": { folder: "away", login: "away" },
  clickthrough: { folder: "terms", login: "terms" },
  "active, a password": { folder: "staff", login: "staff" },
  "active, a page of your own": { folder: "partner", login: "partner" },
  "external, logged in before": { folder: "campus", login: "campus", isIn: true },
  "external, not logged in": { folder: "campus", login: "campus" },
  "kiosk or password, elsewhere": { folder: "roomOrStaff", login: "staff" },
};
const denials: Readonly<Record<string, string>> = { substitute: "", refusal: "Only" };

const text = readFileSync(
  fileURLToPath(new URL("../../../docs/how-to/viewer-logins.md", import.meta.url)),
  "utf8",
);

/** A viewer's cells. Throws if the table lacks the viewer, a way or a denial, or has others. */
export function documentedTable(viewer: string): readonly Row[] {
  const lines = text.split("\n");
  const start = lines.findIndex((line) => line.startsWith("| Way | Denial |"));
  const end = lines.findIndex((line, i) => i > start && !line.startsWith("|"));
  const [head = [], , ...rows] = lines.slice(start, end).map((line) =>
    line
      .slice(1, -1)
      .split("|")
      .map((each) => each.trim()),
  );
  const column = head.indexOf(viewer);
  const expected = Object.keys(ways).flatMap((way) => Object.keys(denials).map((each) => `${way}|${each}`));
  const found = rows.map(([way, denial]) => `${way}|${denial}`);
  if (start < 0 || column < 0 || String(found) !== String(expected))
    throw new Error(`docs/how-to/viewer-logins.md: no table with ${viewer} and ${expected.join(", ")}`);
  return rows.map((row) => {
    const [way = "", denial = ""] = row;
    const cell = row[column] ?? "";
    const [, before, after] =
      /^((?:blank|reduced|whole)(?:, (?:bar|dialogue))?)(?: → (whole|reload|never))?$/.exec(cell) ?? [];
    const known = ways[way];
    if (before === undefined || !known)
      throw new Error(`docs/how-to/viewer-logins.md: ${way}, ${viewer}: ${cell}`);
    return {
      way,
      denial,
      text: cell,
      folder: known.folder + denials[denial],
      login: known.login,
      isIn: known.isIn ?? false,
      before,
      after: after as Cell["after"],
    };
  });
}
