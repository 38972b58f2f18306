// Reads the YAML of manifest files: long texts in a worker, since the slowest take seconds; each text once.

import {
  createAskedWorkers,
  createLru,
  createSemaphore,
  maxCharsInPlace,
  type Platform,
  ServiceError,
  type TextQuestion,
  yamlBounds,
} from "../../../base/index.ts";
import { type ReadYaml, readYamlHere, type YamlText } from "./manifest-file-text.ts";

export interface YamlReader {
  /**
   * Rejects with ServiceError `busy` if too many texts wait for a worker, or if the worker ended or was late,
   * which says nothing about the text; it is read again after a while.
   */
  readonly read: ReadYaml;
  /** Ends the workers. */
  close(): void;
}

export interface YamlReaderOptions {
  readonly platform: Pick<Platform, "startWorker">;
  /** Milliseconds for a worker to start and read a text. */
  readonly readMs?: number;
  /** Milliseconds, never going back. */
  readonly now?: () => number;
}

/** Characters of texts whose results are remembered: the value of a text takes several times its memory. */
const rememberedChars = 4 * 2 ** 20;
/** Milliseconds after a failure of the worker in which its text is not read: it may be why. */
const pauseMs = 60_000;
/** Texts that may wait for the one worker. */
const maxWaiting = 64;

/** Creates a reader. Without workers, texts have to be shorter. The first long text starts the worker. */
export function createYamlReader({
  platform,
  readMs = 120_000,
  now = () => performance.now(),
}: YamlReaderOptions): YamlReader {
  const { startWorker } = platform;
  const workers =
    startWorker &&
    createAskedWorkers<TextQuestion, YamlText>({
      start: () => startWorker("text-thread"),
      work: "reads YAML",
      replyMs: readMs,
    });
  const gate = createSemaphore(1, maxWaiting);
  const known = createLru<string, YamlText>(rememberedChars);
  /** When the worker failed, by the text. */
  const failures = createLru<string, number>(rememberedChars);
  const reading = new Map<string, Promise<YamlText>>();

  const inWorker = async (text: string, { ask }: NonNullable<typeof workers>): Promise<YamlText> => {
    const failed = failures.get(text);
    if (failed !== undefined && now() - failed < pauseMs) throw notReadYetError();
    return gate.run(() =>
      ask({ of: "manifest", text }).catch((cause: unknown) => {
        failures.set(text, now(), text.length);
        throw notReadYetError(cause);
      }),
    );
  };

  return {
    async read(text) {
      if (!workers || text.length <= maxCharsInPlace) return readYamlHere(text, yamlBounds.inPlace);
      const result = known.get(text);
      if (result) return result;
      const begun = reading.get(text) ?? inWorker(text, workers).finally(() => reading.delete(text));
      reading.set(text, begun);
      const read = await begun;
      known.set(text, read, text.length);
      return read;
    },
    close: () => workers?.close(),
  };
}

const notReadYetError = (cause?: unknown) =>
  new ServiceError(
    "busy",
    "A manifest file at this address could not be read in time. Try again in a minute; its operator can shorten it, or write it as JSON.",
    { cause },
  );
