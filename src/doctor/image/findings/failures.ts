// Findings about failed steps: the identifier, the hook, the source, the header, and errors of a render.

import {
  type ErrorKind,
  type Finding,
  type FindingLevel,
  operatorMessage,
  type ServiceError,
} from "../../../base/index.ts";
import type { DiagnosisFacts, DiagnosisStep } from "../known.ts";
import { toDecrypted, toPyramid, toServedPyramid } from "./commands.ts";

/** Levels of findings about failed steps. */
const levels: Readonly<Record<DiagnosisStep, FindingLevel>> = {
  identifier: "problem",
  hook: "problem",
  open: "problem",
  header: "problem",
  file: "note",
  metadata: "note",
  sidecar: "note",
  costs: "problem",
  measure: "problem",
};

interface Advice {
  readonly advice: string;
  /** Text of the finding, instead of the message of the error, which is for HTTP clients. */
  readonly text?: string;
  readonly command?: string;
  /** Level of the finding, instead of that of the step. */
  readonly level?: FindingLevel;
}

const convert: Advice = {
  advice: "Convert the file to a format that is served.",
  command: toServedPyramid,
};

/** Advice by code of the error; `byKind` applies to all other errors. */
const byCode: Readonly<Record<string, Advice>> = {
  image_not_found: {
    text: "No source has an image with this identifier.",
    advice:
      "Compare the identifier with the files of the source, letter by letter, and its prefix with those of the sources. A folder is no image.",
  },
  page_not_found: { advice: "Ask for a page that the file has: name;2 is the second." },
  encrypted_pdf: { advice: "Remove the encryption.", command: toDecrypted },
  source_too_large: { advice: "Raise image.max_pixel_area, or serve a smaller derivative of this master." },
  memory_budget: {
    advice: "Raise image.memory_budget, or convert the file to one whose tiles can be read by themselves.",
    command: toPyramid,
  },
  diagnosis_timeout: {
    level: "slow",
    advice:
      "Check whether the source answers and how busy the machine is, then ask again. If the time went into decoding, the other findings say what makes the file slow.",
  },
  render_timeout: {
    level: "slow",
    advice: "Raise image.timeout, or convert the file to one whose tiles can be read by themselves.",
    command: toPyramid,
  },
  source_unreadable: {
    advice:
      "Let the user that runs smalti read the file and the folders above it; if it may, check the disk or the mount.",
  },
  unsupported_format: {
    advice:
      "Check that the file is an image. A file of another format can be served once it is converted to one of these.",
  },
};
const byKind: Readonly<Partial<Record<ErrorKind, Advice>>> = {
  "bad-request": { advice: "Correct the identifier." },
  "not-found": { advice: "Compare the identifier with the files of the source." },
  hook: {
    advice: "Run smalti hook test --identifier ID: it prints what the hook returns, or why it fails.",
  },
  source: { advice: "Check /ready and the log, which say what is wrong with the source." },
  decode: {
    advice:
      "Replace the file with an intact copy; if there is none, open it in an image editor and save it again.",
  },
  unsupported: convert,
  busy: { level: "note", advice: "Ask again when the service has less to do." },
  timeout: { level: "slow", advice: "Check how busy the service and the source are, then ask again." },
  changed: {
    level: "note",
    advice: "The file was written to in the meantime: ask again when that has ended.",
  },
};

const emptyFile = {
  text: "This file is empty.",
  advice: "Copy the file again from its original, or remove it.",
} as const;

/** Returns a finding for each failed step. */
export function failureFindings({ failures, master, near }: DiagnosisFacts): Finding[] {
  return [...failures].map(([look, error]) => {
    if (error.code === "unsupported_format" && master?.size === 0)
      return { level: levels[look], code: `${look}_empty_file`, ...emptyFile };
    const { level = levels[look], ...advice } = adviceOn(error);
    return {
      level,
      code: `${look}_${error.code ?? error.kind}`.replaceAll("-", "_"),
      text: operatorMessage(error),
      ...advice,
      ...(error.code === "image_not_found" && near !== undefined && { advice: didYouMean(near) }),
    };
  });
}

const didYouMean = (near: string) =>
  `Did you mean ${near}? If not, compare the identifier with the files of the source, letter by letter.`;

/** Returns a finding if the hook answered that there is no image. */
export function hookFinding({ hook }: DiagnosisFacts): Finding | undefined {
  if (hook !== "no image") return undefined;
  return {
    level: "note",
    code: "hook_no_image",
    text: "The resolve hook says that there is no image under this identifier.",
    advice: "If that is wrong, correct the hook: smalti hook test --identifier ID shows what it returns.",
  };
}

/** Returns a finding if images of this kind are not supported at all, according to the header. */
export function refusedFinding({ header }: DiagnosisFacts): Finding | undefined {
  if (!header?.unsupported) return undefined;
  return { level: "problem", code: "unsupported", text: header.unsupported, ...convert };
}

const adviceOn = ({
  code,
  kind,
}: ServiceError): Advice | (Record<string, never> & { level?: FindingLevel }) =>
  (code !== undefined ? byCode[code] : undefined) ?? byKind[kind] ?? {};
