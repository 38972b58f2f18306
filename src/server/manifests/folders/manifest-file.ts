// Manifest files next to images: an operator's description of a folder, read through its source.

import { createPauses, type Finding, ServiceError } from "../../../base/index.ts";
import {
  type Description,
  type Fault,
  faultsOfStored,
  isWhole,
  objectOf,
  readDescription,
  readStored,
  readVersion4,
  type StoredDocument,
  safeDocument,
} from "../../../iiif/index.ts";
import type { Source } from "../../sources/source.ts";
import { inside } from "../locations.ts";
import type { ListedFile } from "./listing.ts";
import { createLocatedFaults } from "./located-faults.ts";
import { maxYaml, problem, type ReadYaml, readBytes } from "./manifest-file-text.ts";

/** A parsed manifest file. Invalid parts are left out and listed in its faults. */
export interface ManifestFile {
  readonly name: string;
  readonly validator: string;
  /** Size of the file in bytes. */
  readonly size: number;
  /** A document that takes the place of the derived one. */
  readonly stored?: StoredDocument;
  /** A document of a version that 3.0 cannot express. */
  readonly newer?: { readonly type: unknown; readonly fault: Fault };
  /**
   * Why nothing of the file can be used; absent for whole documents and descriptions, even if they have
   * faults.
   */
  readonly unusable?: Finding;
  /** False if the operator turns the texts of the images off, see the option `presentation.texts`. */
  readonly texts: boolean;
  /** Returns the description of the folder as a manifest or a collection, if there is no whole document. */
  describe(kind: "manifest" | "collection"): Description;
  /** Returns the faults. Those of a description are known once it has been requested. */
  faults(): readonly Finding[];
  /**
   * Adds faults that were found when a description was applied, such as names of images that do not exist.
   */
  add(faults: readonly Fault[]): void;
}

/** Bytes of a file that is read: JSON may be a whole document of thousands of canvases. */
const maxBytes = { json: 8 * 2 ** 20, yaml: maxYaml } as const;

export interface ManifestFileReading {
  readonly readYaml: ReadYaml;
  /** The previous result, which stays while its file is unchanged. */
  readonly known: ManifestFile | undefined;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Returns the first existing manifest file, or undefined. Throws what the source throws, and ServiceError
 * `busy` if too many files are being read.
 */
export async function readManifestFile(
  source: Source,
  key: string,
  files: readonly ListedFile[],
  { readYaml, known, signal }: ManifestFileReading,
): Promise<ManifestFile | undefined> {
  for (const { name, validator } of files) {
    if (known && known.name === name && known.validator === validator) return known;
    const location = inside({ source, key }, name);
    if (validator !== undefined) source.forget?.(location.key);
    const image = await source.open(location.key, signal).catch(unlessPage);
    if (!image) continue;
    try {
      if (known && known.name === name && known.validator === image.validator) return known;
      const isJson = name.endsWith(".json");
      const max = isJson ? maxBytes.json : maxBytes.yaml;
      const bytes = await image.bytes.read(0, max + 1);
      return bytes.length > max
        ? tooLarge(name, image.validator, max)
        : await manifestFileOf({ name, validator: image.validator, bytes, isJson }, readYaml);
    } finally {
      await image.close();
    }
  }
  return undefined;
}

/** Many web servers respond with a page for missing files. */
function unlessPage(error: unknown): undefined {
  if (!(error instanceof ServiceError) || error.code !== "origin_not_image") throw error;
}

function tooLarge(name: string, validator: string, max: number): ManifestFile {
  const fault = problem(`expected a file of at most ${max / 2 ** 20} MiB; received a larger one`);
  return {
    name,
    validator,
    size: 0,
    unusable: fault,
    texts: true,
    describe: () => nothing,
    faults: () => [fault],
    add() {},
  };
}

const nothing = readDescription(undefined, "manifest").description;

interface ManifestFileBytes {
  readonly name: string;
  readonly validator: string;
  readonly bytes: Uint8Array;
  readonly isJson: boolean;
}

/** Parses the bytes of a manifest file. */
export async function manifestFileOf(
  { name, validator, bytes, isJson }: ManifestFileBytes,
  readYaml: ReadYaml,
): Promise<ManifestFile> {
  const pause = createPauses();
  const text = await readBytes(bytes, isJson, readYaml);
  await pause();
  const { value, faults: unsafe } = safeDocument(text.value);
  await pause();
  const { add, list: faults } = createLocatedFaults(text);
  const described = new Map<string, Description>();
  const isDocument = isWhole(value);
  const { texts = true, ...members } = isDocument ? {} : (objectOf(value) ?? {});
  if (typeof texts !== "boolean") add([{ path: ["texts"], message: "expected true or false" }]);
  // YAML with only comments does not describe the folder; JSON is never empty.
  const isEmpty = value === null && !isJson;
  const isPlain = value !== undefined && !isEmpty && objectOf(value) === undefined;
  const version4 = isDocument ? readVersion4(value) : undefined;
  const whole = version4 ? version4.document : isDocument ? value : undefined;
  const newer = version4 && !whole ? version4.fault : undefined;
  const misread = newer ? [newer] : whole ? faultsOfStored(whole) : isPlain ? [plainFault] : [];
  add(misread);
  if (version4) add([version4.fault]);
  add(unsafe);
  const [unusable] = value === undefined || misread.length > 0 ? faults() : [];
  return {
    name,
    validator,
    size: bytes.length,
    ...(whole && misread.length === 0 && { stored: readStored(whole) }),
    ...(newer && { newer: { type: objectOf(value)?.type, fault: newer } }),
    ...(unusable !== undefined && { unusable }),
    texts: texts !== false,
    describe(kind) {
      if (isDocument || isPlain) return nothing;
      const read = described.get(kind);
      if (read) return read;
      const { description, faults: misdescribed } = readDescription(isEmpty ? value : members, kind);
      add(misdescribed);
      described.set(kind, description);
      return description;
    },
    faults,
    add,
  };
}

const plainFault: Fault = {
  path: [],
  message: "expected a document, or keys and values that describe the folder",
};
