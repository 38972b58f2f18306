// The image doctor: finds out why an image looks or behaves as it does, and what to do about it.

import { worstFirst } from "../../base/index.ts";
import type { RenderParts } from "../../server/index.ts";
import {
  type CostRow,
  type Diagnosis,
  type LatestRow,
  type SectionName,
  sectionTitles,
} from "./diagnosis.ts";
import { factsOf } from "./facts/index.ts";
import { type NameCommands, namesInSource, withNames } from "./findings/commands.ts";
import { findingsOf } from "./findings/index.ts";
import type { DiagnosisFacts } from "./known.ts";
import { lookAt } from "./look.ts";

export interface DiagnoseOptions {
  /**
   * True to render a tile, and the whole image if that is cheap, so that actual and expected costs can be
   * compared.
   */
  readonly measures?: boolean;
  /** Names in the commands of findings; default: keys in the source. */
  readonly nameCommands?: NameCommands;
  /** Milliseconds for the whole diagnosis; default 20 s. */
  readonly limitMs?: number;
  readonly signal?: AbortSignal | undefined;
}

const usualLimitMs = 20_000;

/**
 * Diagnoses an image for the operator; access rules do not apply. Reads at most as much as a probe and its
 * metadata need (about 16 MiB), and renders nothing unless `measures` is set. Errors of the image, its source
 * or a hook are reported, not thrown. Throws `cancelled` if the signal aborts.
 */
export async function diagnose(
  parts: RenderParts,
  identifier: string,
  { measures = false, nameCommands = namesInSource, limitMs = usualLimitMs, signal }: DiagnoseOptions = {},
): Promise<Diagnosis> {
  const known = await lookAt(parts, identifier, { measures, limitMs, signal });
  const names = Object.keys(sectionTitles) as SectionName[];
  const sections = names.map((name) => ({ name, title: sectionTitles[name], facts: factsOf(name, known) }));
  return {
    identifier,
    found: known.master !== undefined,
    ...(known.near !== undefined && { near: known.near }),
    costs: costRows(known),
    latest: latestRows(known),
    sections: sections.filter(({ facts }) => facts.length > 0),
    findings: worstFirst(findingsOf(known).map((finding) => withNames(finding, known.master, nameCommands))),
  };
}

function latestRows({ latest }: DiagnosisFacts): readonly LatestRow[] {
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

function costRows({ costs = [], measured = [] }: DiagnosisFacts): readonly CostRow[] {
  return costs.map(({ what, scale, canonical, expected, refused }) => {
    // Only the tile of full size is measured.
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
