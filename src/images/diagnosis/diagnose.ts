// The image doctor: what of an image explains why it looks or behaves as it does, and what to do about it.

import { type FindingLevel, findingLevels } from "../../lib/finding.ts";
import type { RenderParts } from "../render.ts";
import {
  type CostRow,
  type Diagnosis,
  type LatestRow,
  type SectionName,
  sectionTitles,
} from "./diagnosis.ts";
import { factsOf } from "./facts/index.ts";
import { findingsOf } from "./findings/index.ts";
import type { Known } from "./known.ts";
import { lookAt } from "./look.ts";

export interface DiagnoseOptions {
  /** Renders a tile, and the whole image where that is cheap, to compare what they take with what was expected. */
  readonly measures?: boolean;
  /** For all of it; 20 s. */
  readonly limitMs?: number;
  readonly signal?: AbortSignal | undefined;
}

const usualLimitMs = 20_000;

/**
 * The diagnosis of an image, in the operator's name: no access rule is asked. Reads at most what a probe and its metadata take (some
 * 16 MiB), and renders nothing unless `measures`. Never rejects for what an image, a source or a hook does, which is what it is about;
 * throws `cancelled` when the signal aborts.
 */
export async function diagnose(
  parts: RenderParts,
  identifier: string,
  { measures = false, limitMs = usualLimitMs, signal }: DiagnoseOptions = {},
): Promise<Diagnosis> {
  const known = await lookAt(parts, identifier, { measures, limitMs, signal });
  const names = Object.keys(sectionTitles) as SectionName[];
  const sections = names.map((name) => ({ name, title: sectionTitles[name], facts: factsOf(name, known) }));
  const rank = (level: FindingLevel) => findingLevels.indexOf(level);
  return {
    identifier,
    costs: costRows(known),
    latest: latestRows(known),
    sections: sections.filter(({ facts }) => facts.length > 0),
    findings: findingsOf(known).sort((a, b) => rank(a.level) - rank(b.level)),
  };
}

function latestRows({ latest }: Known): readonly LatestRow[] {
  return [latest?.part, latest?.whole].flatMap((record) =>
    record
      ? [
          {
            request: record.canonical,
            expectedMs: record.expected.ms,
            ms: record.tookMs,
            memory: record.memory,
            at: new Date(record.at).toISOString(),
          },
        ]
      : [],
  );
}

function costRows({ costs = [], measured = [] }: Known): readonly CostRow[] {
  return costs.map(({ what, scale, canonical, expected, refused }) => {
    // Of tiles the one of full size is measured.
    const took = scale === 1 ? measured.find((each) => each.what === what) : undefined;
    return {
      what,
      scale,
      request: canonical,
      ...(expected && { expected }),
      ...(refused && { refused: refused.message }),
      ...(took && { measuredMs: took.ms }),
    };
  });
}
