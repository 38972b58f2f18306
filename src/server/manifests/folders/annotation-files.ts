// Files of annotations next to images, read through their source, each once.

import {
  createLru,
  createPauses,
  createSemaphore,
  createSingleFlight,
  type Finding,
  ServiceError,
} from "../../../base/index.ts";
import { type Fault, readStoredAnnotations, type StoredAnnotations } from "../../../iiif/index.ts";
import { type FolderLocation, inside } from "../locations.ts";
import type { ListedFile } from "./listing.ts";
import { createLocatedFaults } from "./located-faults.ts";
import { problem, type ReadYaml, readBytes } from "./manifest-file-text.ts";

/** A parsed file of annotations. What is wrong in it is left out and listed in its faults. */
export interface AnnotationFile {
  readonly name: string;
  readonly validator: string;
  readonly stored: StoredAnnotations;
  /** Why nothing of the file can be used. */
  readonly unusable?: Finding;
  faults(): readonly Finding[];
  /** Adds faults that were found when annotations were sorted by canvas. */
  add(faults: readonly Fault[]): void;
}

/** Bytes of a file that is read. */
const maxBytes = 8 * 2 ** 20;
/** Maximum number of files in memory while they are read. */
const maxAtOnce = 2;
/** Maximum number of files that wait. */
const maxWaiting = 200;
/** Bytes of files that are cached, whose values take several times the bytes of their text. */
const cacheBytes = 32 * 2 ** 20;
const bytesOfByte = 8;

/** Reads files of annotations. */
export class AnnotationFiles {
  readonly #readYaml: ReadYaml;
  readonly #cache = createLru<string, AnnotationFile>(cacheBytes);
  readonly #flights = createSingleFlight<AnnotationFile | undefined>();
  readonly #gate = createSemaphore(maxAtOnce, maxWaiting);

  constructor(readYaml: ReadYaml) {
    this.#readYaml = readYaml;
  }

  /**
   * Returns a listed file of a folder, which is not opened again while its validator is the same; undefined
   * if it is gone. Throws `busy` if too many wait, and what the source throws.
   */
  async read(folder: FolderLocation, file: ListedFile): Promise<AnnotationFile | undefined> {
    const { source, key } = inside(folder, file.name);
    const keyOf = (validator: string | undefined) => JSON.stringify([source.fingerprint, key, validator]);
    const known = file.validator === undefined ? undefined : this.#cache.get(keyOf(file.validator));
    if (known) return known;
    return this.#flights.run(keyOf(file.validator), async () => {
      if (file.validator !== undefined) source.forget?.(key);
      const opened = await source.open(key);
      if (!opened) return undefined;
      try {
        const { validator } = opened;
        const cached = this.#cache.get(keyOf(validator));
        if (cached) return cached;
        return await this.#gate.run(async () => {
          const bytes = await opened.bytes.read(0, maxBytes + 1);
          const read = await this.#parse(file.name, validator, bytes);
          this.#cache.set(keyOf(validator), read, bytesOfByte * bytes.length + key.length);
          return read;
        });
      } finally {
        await opened.close();
      }
    });
  }

  async #parse(name: string, validator: string, bytes: Uint8Array): Promise<AnnotationFile> {
    const pause = createPauses();
    const text =
      bytes.length > maxBytes
        ? { faults: [tooLarge], locate: () => [] }
        : await readBytes(bytes, true, this.#readYaml);
    await pause();
    const stored = readStoredAnnotations(text.value);
    await pause();
    const faults = createLocatedFaults(text);
    if ("value" in text) faults.add(stored.faults);
    const [first] = faults.list();
    return {
      name,
      validator,
      stored,
      ...(stored.isUseless && first && { unusable: first }),
      faults: faults.list,
      add: faults.add,
    };
  }
}

const tooLarge = problem(`expected a file of at most ${maxBytes / 2 ** 20} MiB; received a larger one`);

/** Returns the error for a file of which nothing can be used. */
export const unusableAnnotations = (name: string, reason: string): ServiceError =>
  new ServiceError(
    "decode",
    `The file of annotations ${name} cannot be used: ${reason}. Its operator has to correct it.`,
    { code: "unusable_annotations" },
  );
