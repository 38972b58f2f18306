// Parses the text of a manifest file, in YAML 1.2 or JSON, and finds the position of each part.

import {
  type Finding,
  JsonTooDeep,
  lineOf,
  locateInJson,
  maxAliases,
  parseJson,
  parseYamlText,
  type YamlBounds,
} from "../../../base/index.ts";
import type { Fault } from "../../../iiif/index.ts";
import { linesAt, linesOf, type ValueLines } from "./value-lines.ts";

export interface ReadText {
  /** Absent if the text is malformed. */
  readonly value?: unknown;
  readonly faults: readonly Finding[];
  /** Adds positions to faults, as people look for them. */
  locate(faults: readonly Fault[]): readonly Finding[];
}

/** Bytes of a text that is read as YAML, which takes a hundred times longer than JSON. */
export const maxYaml = 2 ** 20;

/** What was read from YAML: plain data, which can come from a worker. */
export interface YamlText {
  readonly value?: unknown;
  /** Lines of the parts of the value. */
  readonly lines?: ValueLines;
  /** Why there is no value. */
  readonly fault?: Finding;
}

/** Reads YAML; anything wrong with it becomes the fault. Throws nothing. */
export type ReadYaml = (text: string) => Promise<YamlText>;

/** Parses bytes in UTF-8 as {@link readText} does. */
export async function readBytes(bytes: Uint8Array, isJson: boolean, readYaml: ReadYaml): Promise<ReadText> {
  let text: string;
  try {
    text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return { faults: [problem("expected text in UTF-8; save the file in that encoding")], locate: () => [] };
  }
  return readText(text, isJson, readYaml);
}

/** Parses a text; anything wrong with it becomes a fault. Malformed JSON may still be YAML. */
export async function readText(text: string, isJson: boolean, readYaml: ReadYaml): Promise<ReadText> {
  if (isJson) {
    try {
      const value = parseJson(text);
      if (value !== null) return { value, faults: [], locate: (faults) => locatedInJson(text, faults) };
    } catch (error) {
      if (error instanceof JsonTooDeep)
        return unreadableText(problem(error.message, lineOf(text, error.offset)));
    }
  }
  if (text.length > maxYaml)
    return unreadableText(problem(`expected JSON, since YAML has at most ${maxYaml} bytes`));
  const { value, lines, fault } = await readYaml(text);
  if (fault !== undefined) return unreadableText(fault);
  return {
    value,
    faults: [],
    locate(faults) {
      const paths = faults.map(({ path }) => path);
      const found = lines && linesAt(value, lines, paths);
      return faults.map((fault, index) => foundFault(fault, found?.[index]));
    },
  };
}

/** Reads YAML within bounds. */
export function readYamlHere(text: string, bounds: YamlBounds): YamlText {
  const { document, lines: counter, problems } = parseYamlText(text, { bounds });
  const [first] = problems;
  if (first) return { fault: problem(first.message, first.line) };
  let value: unknown;
  try {
    value = document.toJS({ maxAliasCount: maxAliases });
  } catch {
    return {
      fault: problem("expected YAML with few aliases; received some that name each other many times"),
    };
  }
  const lines = linesOf(value, document, counter);
  return typeof lines === "string" ? { fault: problem(excessText[lines]) } : { value, lines };
}

const excessText = {
  "too deep": "expected at most 64 levels of lists and keys; received more",
  "too large": "expected YAML with few aliases; received some that make it too large",
} as const;

const unreadableText = (fault: Finding): ReadText => ({
  faults: [fault],
  locate: (faults) => faults.map((each) => foundFault(each)),
});

function locatedInJson(text: string, faults: readonly Fault[]): readonly Finding[] {
  const offsets = locateInJson(
    text,
    faults.map(({ path }) => path),
  );
  return faults.map((fault, index) => foundFault(fault, lineOf(text, offsets[index] as number)));
}

/** Returns a fault as a finding. `line`: from 1; 0 or undefined if it is unknown. */
export const foundFault = ({ path, message }: Fault, line?: number): Finding => ({
  ...problem(message, line),
  ...(path.length > 0 && { where: path.join(".") }),
});

/** Returns a finding about a whole text, or a line of it. */
export const problem = (text: string, line?: number): Finding => ({
  level: "problem",
  ...(line && { position: { line } }),
  text,
});
