// Reads the entries of a mapping file in YAML; those of a long file in a worker.

import { isMap, isScalar } from "yaml";
import {
  createAskedWorkers,
  maxAliases,
  maxCharsInPlace,
  type Platform,
  parseYamlText,
  ServiceError,
  type TextQuestion,
  type YamlBounds,
  yamlBounds,
} from "../../base/index.ts";

export interface MappingEntry {
  readonly identifier: string;
  /** A key, or columns by name. */
  readonly value: unknown;
  /** Line in the file, from 1; undefined in JSON. */
  readonly line?: number | undefined;
}

/** Plain data, which can come from a worker. */
export type MappingEntries =
  | { readonly entries: readonly MappingEntry[]; readonly fault?: undefined }
  | { readonly fault: string };

/** Milliseconds for a worker to start and read a file. */
const readMs = 120_000;

/**
 * Returns a function that reads entries, in a worker if the text is long and the platform has workers. It
 * rejects with ServiceError `busy` if the worker ends or is late.
 */
export function mappingYamlReader({ startWorker }: Pick<Platform, "startWorker">) {
  return async (text: string): Promise<MappingEntries> => {
    if (!startWorker || text.length <= maxCharsInPlace) return mappingEntriesHere(text, yamlBounds.inPlace);
    // A file changes too seldom to keep the worker.
    const start = () => startWorker("text-thread");
    const workers = createAskedWorkers<TextQuestion, MappingEntries>({
      start,
      work: "reads the mapping",
      replyMs: readMs,
    });
    try {
      return await workers.ask({ of: "mapping", text });
    } catch (cause) {
      // This says nothing about the file.
      throw new ServiceError(
        "busy",
        `the file was not read within ${readMs / 1000} s; it is read again in a minute, and faster as CSV or JSON`,
        { cause },
      );
    } finally {
      workers.close();
    }
  };
}

/** Reads entries within bounds. Repeated identifiers are for the caller to find. */
export function mappingEntriesHere(text: string, bounds: YamlBounds): MappingEntries {
  const { document, lines, problems } = parseYamlText(text, { bounds, repeatedKeys: true });
  const [problem] = problems;
  if (problem)
    return {
      fault: `not valid YAML: ${problem.message} at line ${problem.line}, column ${problem.column}`,
    };
  const { contents } = document;
  if (contents === null) return { entries: [] };
  if (!isMap(contents))
    return { fault: "expected identifiers with their keys, such as ms-1: scans/0001.tif" };
  const entries: MappingEntry[] = [];
  for (const { key, value } of contents.items) {
    if (!isScalar(key)) return { fault: "expected identifiers as text; received an alias" };
    const line = lines.linePos(key.range?.[0] ?? 0).line;
    // 007 is not 7: an identifier is taken as written.
    const identifier = typeof key.value === "string" ? key.value : (key.source ?? String(key.value));
    try {
      entries.push({ identifier, value: meaningOf(value, document), line });
    } catch {
      return { fault: `line ${line}: expected few aliases; received some that name each other many times` };
    }
  }
  return { entries };
}

function meaningOf(value: unknown, document: ReturnType<typeof parseYamlText>["document"]): unknown {
  if (isScalar(value) && typeof value.value !== "string" && value.value !== null)
    return value.source ?? String(value.value);
  const node = value as { toJS?: (document: unknown, options: object) => unknown } | null;
  return node?.toJS?.(document, { maxAliasCount: maxAliases }) ?? null;
}
