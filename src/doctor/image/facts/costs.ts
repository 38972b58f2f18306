// Facts about the costs of tiles and the whole image: expected, measured now, and of recent renders.

import { bytesText, msText } from "../../../server/index.ts";
import type { FactValue } from "../diagnosis.ts";
import { type Row, row } from "./row.ts";

export const costsRows: readonly Row[] = [
  row<FactValue>({
    name: "expected",
    label: "Expected",
    value: ({ costs }) =>
      costs?.map(({ what, scale, canonical, expected, refused }) => ({
        what,
        scale,
        request: canonical,
        ...(expected && { ...expected, ms: round(expected.ms) }),
        ...(refused && { refused: refused.message }),
      })),
    text: (_, { costs = [] }) =>
      costs
        .map(({ what, scale, expected }) => {
          const name = what === "whole" ? "full/max" : `tile at 1/${scale}`;
          return `${name}: ${expected ? `${msText(expected.ms)}, ${bytesText(expected.memory)}` : "refused"}`;
        })
        .join("; "),
  }),
  row<FactValue>({
    name: "measured",
    label: "Measured now",
    value: ({ measured }) =>
      measured && measured.length > 0
        ? measured.map(({ stages, ms, firstMs, ...rest }) => ({
            ...rest,
            ms: round(ms),
            ...(firstMs !== undefined && { firstMs: round(firstMs) }),
            stages: Object.fromEntries(
              Object.entries(stages).flatMap(([stage, took]) =>
                took === undefined ? [] : [[stage, round(took)]],
              ),
            ),
          }))
        : undefined,
    text: (_, { measured = [] }) =>
      measured
        .map(
          ({ what, ms, firstMs, reads, readBytes }) =>
            `${what === "whole" ? "full/max" : "tile at 1/1"}: ${msText(ms)}, ${reads} read${reads === 1 ? "" : "s"} of ${bytesText(readBytes)} in all${firstMs === undefined ? "" : ` (before it, the first one loaded the decoder and built the sidecar: ${msText(firstMs)})`}`,
        )
        .join("; "),
  }),
  row<FactValue>({
    name: "latest",
    label: "Measured lately",
    value: ({ latest }) =>
      latest &&
      [latest.part, latest.whole].flatMap((record) =>
        record
          ? [
              {
                request: record.canonical,
                expected_ms: round(record.expected.ms),
                ms: round(record.tookMs),
                memory: record.memory,
                at: new Date(record.at).toISOString(),
              },
            ]
          : [],
      ),
    text: (_, { latest }) =>
      [latest?.part, latest?.whole]
        .flatMap((record) =>
          record
            ? [`${record.canonical}: ${msText(record.tookMs)}, expected ${msText(record.expected.ms)}`]
            : [],
        )
        .join("; "),
  }),
];

const round = (ms: number) => Math.round(ms * 10) / 10;
