// Parses the text of a manifest file, in YAML 1.2 or JSON, and finds the position of each part.

import {
  JsonTooDeep,
  lineOf,
  locateInJson,
  mostAliases,
  parseJson,
  parseYamlText,
  type YamlBounds,
} from "../../../base/index.ts";
import type { Fault } from "../../../iiif/index.ts";
import { linesAt, linesOf, type ValueLines } from "./value-lines.ts";

/** A fault of a manifest file in one line: `line 3, metadata.0.label: expected …`. */
export type LocatedFault = string;

export interface ReadText {
  /** Absent if the text is malformed. */
  readonly value?: unknown;
  readonly faults: readonly LocatedFault[];
  /** Adds positions to faults, as people look for them. */
  locate(faults: readonly Fault[]): readonly LocatedFault[];
}

/** Bytes of a text that is read as YAML, which takes a hundred times longer than JSON. */
export const mostYaml = 2 ** 20;

/** What was read from YAML: plain data, which can come from a worker. */
export interface YamlText {
  readonly value?: unknown;
  /** Lines of the parts of the value. */
  readonly lines?: ValueLines;
  /** Why there is no value. */
  readonly fault?: LocatedFault;
}

/** Reads YAML; anything wrong with it becomes the fault. Throws nothing. */
export type ReadYaml = (text: string) => Promise<YamlText>;

/** Parses a text; anything wrong with it becomes a fault. Malformed JSON may still be YAML. */
export async function readText(text: string, isJson: boolean, readYaml: ReadYaml): Promise<ReadText> {
  if (isJson) {
    try {
      const value = parseJson(text);
      if (value !== null) return { value, faults: [], locate: (faults) => locatedInJson(text, faults) };
    } catch (error) {
      if (error instanceof JsonTooDeep)
        return unreadable(`${linePrefix(lineOf(text, error.offset))}${error.message}`);
    }
  }
  if (text.length > mostYaml) return unreadable(`expected JSON, since YAML has at most ${mostYaml} bytes`);
  const { value, lines, fault } = await readYaml(text);
  if (fault !== undefined) return unreadable(fault);
  return {
    value,
    faults: [],
    locate(faults) {
      const paths = faults.map(({ path }) => path);
      const found = lines && linesAt(value, lines, paths);
      return faults.map((fault, index) => faultText(fault, found?.[index]));
    },
  };
}

/** Reads YAML within bounds. */
export function readYamlHere(text: string, bounds: YamlBounds): YamlText {
  const { document, lines: counter, problems } = parseYamlText(text, { bounds });
  const [problem] = problems;
  if (problem) return { fault: `${linePrefix(problem.line)}${problem.message}` };
  let value: unknown;
  try {
    value = document.toJS({ maxAliasCount: mostAliases });
  } catch {
    return { fault: "expected YAML with few aliases; received some that name each other many times" };
  }
  const lines = linesOf(value, document, counter);
  return typeof lines === "string" ? { fault: excessText[lines] } : { value, lines };
}

const excessText = {
  "too deep": "expected at most 64 levels of lists and keys; received more",
  "too large": "expected YAML with few aliases; received some that make it too large",
} as const;

const unreadable = (fault: LocatedFault): ReadText => ({
  faults: [fault],
  locate: (faults) => faults.map((each) => faultText(each)),
});

function locatedInJson(text: string, faults: readonly Fault[]): readonly LocatedFault[] {
  const offsets = locateInJson(
    text,
    faults.map(({ path }) => path),
  );
  return faults.map((fault, index) => faultText(fault, lineOf(text, offsets[index] as number)));
}

const faultText = ({ path, message }: Fault, line?: number): LocatedFault =>
  `${linePrefix(line)}${path.length > 0 ? `${path.join(".")}: ` : ""}${message}`;

const linePrefix = (line: number | undefined) => (line ? `line ${line}, ` : "");
