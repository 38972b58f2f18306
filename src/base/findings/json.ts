// Findings as JSON: the names of their members depend on what they are about, and stay the same for programs.

import type { Finding, FindingLevel } from "./finding.ts";
import { findingLine } from "./text.ts";

/** How the status page names the levels. */
const statusLevels = {
  problem: "bad",
  slow: "warn",
  note: "warn",
  good: "good",
} as const satisfies Record<FindingLevel, string>;

/** Returns a finding as JSON: about a setting, a manifest file, an image, a login, or the whole service. */
export const findingJson = {
  setting: ({ where: path = "", text: message, position }: Finding) => ({
    path,
    message,
    ...(position && { position }),
  }),
  manifestFile: ({ file, ...found }: Finding) => ({
    file,
    ...(found.position && { line: found.position.line }),
    text: findingLine(found),
  }),
  image: ({ where: identifier, code, text: message }: Finding) => ({ identifier, code, message }),
  login: ({ profile, where: step, ...found }: Finding) => ({
    ...(profile !== undefined && { profile }),
    step,
    ...found,
  }),
  status: ({ text, advice = "", where: link, level }: Finding) => ({
    text,
    advice,
    link,
    level: statusLevels[level],
  }),
} as const satisfies Record<string, (finding: Finding) => object>;
