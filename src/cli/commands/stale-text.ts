// Lines about what earlier exports have left in a folder.

import type { ExportReport } from "../collection/export/export.ts";
import type { Stale } from "../collection/export/stale.ts";
import { countWithUnit } from "./collection-text.ts";
import { removeControls } from "./findings-text.ts";

/** Identifiers that a line names; `--json` has all. */
const maxNamed = 5;

/** Returns what is stale and what was removed, in lines; what stays public first. */
export function staleLines({ stale, removed, unpruned }: ExportReport): readonly string[] {
  const [gated, gone] = (["gated", "gone"] as const).map((wanted) =>
    stale.filter(({ reason }) => reason === wanted),
  ) as [Stale[], Stale[]];
  const words = ({ length }: readonly Stale[]) =>
    length === 1 ? { need: "needs", are: "is", were: "was", them: "it" } : many;
  const { need, are, them } = words(gated);
  const after = words(gone);
  const then =
    unpruned === undefined ? `: --prune removes ${after.them}` : `, but not removed, since ${unpruned}`;
  return [
    ...describeStale(gated, `${need} a login now and ${are} still public: --prune removes ${them}`),
    ...describeStale(gone, `${after.are} gone${then}`),
    ...describeStale(removed, `${words(removed).were} removed`),
  ];
}

const many = { need: "need", are: "are", were: "were", them: "them" };

/** Returns a sentence about what earlier runs have exported, and the first of it. */
function describeStale(some: readonly Stale[], sentence: string): readonly string[] {
  if (some.length === 0) return [];
  const counts = (["image", "document"] as const).flatMap((kind) => {
    const count = some.filter((one) => one.kind === kind).length;
    return count > 0 ? [countWithUnit(count, kind)] : [];
  });
  const named = some.slice(0, maxNamed).map(({ identifier }) => removeControls(identifier));
  const rest = some.length > maxNamed ? ", …" : "";
  return [`${counts.join(" and ")} of earlier runs ${sentence}.`, `  ${named.join(", ")}${rest}`];
}
