// What one caller may read about the images and documents that an address names. The address of a canvas
// counts for the images on it.

import { ServiceError } from "../../../base/index.ts";
import {
  canvasesOfRange,
  documentAddress,
  imagesOf,
  type OwnNames,
  objectsOf,
  ownNames,
  type PresentationPath,
  pieceAddress,
  type Resource,
  type Right,
} from "../../../iiif/index.ts";
import type { Gate } from "../gate.ts";
import { type Canvases, canvasesOf, type Made } from "./making.ts";

export interface ReadableParts {
  readonly gate: Gate;
  /** Public URL of the service, without a trailing /. */
  readonly base: string;
  /** Paths of the Image API. */
  readonly imagePrefixes: readonly string[];
  /** Returns a manifest by its identifier; undefined if it is none. */
  readonly manifestOf: (id: string) => Promise<Made | undefined>;
}

export interface Question {
  readonly right: Right;
  readonly address: string;
  /** Address of the document that a canvas is part of, if its own address need not say so. */
  readonly within?: string | undefined;
}

/** Most documents that are opened for one response to find the images of canvases. */
const maxOpened = 1000;

/** A manifest that targets may be parts of. */
interface Opened {
  /** Its address in its own documents, which may spell its identifier in another way. */
  readonly address: string;
  readonly canvases: Canvases;
  /** Its ranges by their addresses. */
  readonly ranges: ReadonlyMap<unknown, Resource>;
}

/**
 * Returns a function that answers questions about addresses. What is not of this service may be read by
 * everybody; what cannot be decided, by nobody.
 */
export function createReadable({ gate, base, imagePrefixes, manifestOf }: ReadableParts) {
  const named = new Map<string, OwnNames>();
  // One address is asked about for several rights.
  const namesIn = (address: string): OwnNames => {
    const names = named.get(address) ?? ownNames(address, imagePrefixes);
    named.set(address, names);
    return names;
  };
  const opened = new Map<string, Promise<Opened | undefined>>();
  const open = (id: string): Promise<Opened | undefined> => {
    const known = opened.get(id);
    if (known) return known;
    if (opened.size >= maxOpened)
      throw new ServiceError("too-large", `Expected targets in at most ${maxOpened} documents.`);
    const found = manifestOf(id).then((made) => made && readOpened(made));
    opened.set(id, found);
    return found;
  };

  /** The images on the canvas or in the range that an address names; undefined if it names neither. */
  const findImages = async (
    { documents }: OwnNames,
    address: string,
    around: OwnNames | undefined,
  ): Promise<readonly string[] | undefined> => {
    for (const { id } of around?.documents ?? []) {
      const images = await imagesAt(await open(id), () => address);
      if (images) return images;
    }
    for (const { id, piece } of documents)
      for (const holder of piece ? [id] : holdersOf(id)) {
        // A page of annotations is about its canvas.
        const part = piece?.kind === "annotations" ? ({ ...piece, kind: "canvas" } as const) : piece;
        const addressIn = (whole: string) => (part ? pieceAddress(whole, part) : documentAddress(base, id));
        const images = await imagesAt(await open(holder), addressIn);
        if (images) return images;
      }
    return undefined;
  };

  const decided = new Map<string, Promise<boolean> | boolean>();
  // A hook may be a service elsewhere, and one image is asked about for its canvas and for each target.
  const mayRead = (id: string, by: "all" | "rules"): Promise<boolean> | boolean => {
    const key = `${by} ${id}`;
    const result = decided.get(key) ?? gate.mayRead(id, by);
    decided.set(key, result);
    return result;
  };

  const mayReadAll = async (ids: Iterable<string>, by: "all" | "rules"): Promise<boolean> => {
    let all = true;
    for (const id of new Set(ids)) all = (await mayRead(id, by)) && all;
    return all;
  };

  const mayReadText = async (address: string, within: string | undefined): Promise<boolean> => {
    const names = namesIn(address);
    if (names.image !== undefined) return mayRead(names.image, "all");
    const around = within === undefined ? undefined : namesIn(within);
    const found = (await findImages(names, address, around)) ?? [];
    const images = found.flatMap((each) => namesIn(each).image ?? []);
    if (!(await mayReadAll(images, "all"))) return false;
    const documents = idsOf([...names.documents, ...(around?.documents ?? [])]);
    return mayReadAll(documents, images.length > 0 ? "rules" : "all");
  };

  return async ({ right, address, within }: Question): Promise<boolean> => {
    try {
      if (right === "text") return await mayReadText(address, within);
      const { image, documents } = namesIn(address);
      if (right === "rule") return await mayReadAll(idsOf(documents), "rules");
      const all = [...(image === undefined ? [] : [image]), ...idsOf(documents)];
      return await mayReadAll(
        all.filter((identifier) => gate.keepsDocuments(identifier)),
        "all",
      );
    } catch (error) {
      if (!(error instanceof ServiceError) || error.kind === "cancelled") throw error;
      gate.doubt();
      return false;
    }
  };
}

/** The identifiers that rules for a document may name. */
const idsOf = (readings: readonly PresentationPath[]) => readings.flatMap(({ id, of }) => [id, of]);

function readOpened(made: Made): Opened {
  const ranges = rangesIn(made.document.structures).map((range) => [range.id, range] as const);
  return { address: String(made.document.id), canvases: canvasesOf(made), ranges: new Map(ranges) };
}

const rangesIn = (structures: unknown): readonly Resource[] =>
  objectsOf(structures).flatMap((each) =>
    each.type === "Range" && Array.isArray(each.items) ? [each, ...rangesIn(each.items)] : [],
  );

/** The images on the canvas or in the range with an address in a manifest; undefined if it has neither. */
async function imagesAt(
  manifest: Opened | undefined,
  addressIn: (manifest: string) => string,
): Promise<readonly string[] | undefined> {
  if (!manifest) return undefined;
  const address = addressIn(manifest.address);
  const range = manifest.ranges.get(address);
  if (!range) return imagesOnCanvas(manifest, address);
  const images = canvasesOfRange(range).map((canvas) => imagesOnCanvas(manifest, canvas));
  return (await Promise.all(images)).flatMap((each) => each ?? []);
}

async function imagesOnCanvas({ canvases }: Opened, address: string): Promise<readonly string[] | undefined> {
  const index = await canvases.indexOf(address);
  const canvas = index === undefined ? undefined : await canvases.at(index);
  return canvas && imagesOf(canvas);
}

/** Levels below the address of a document at which a canvas with an address of its own may be. */
const maxLevels = 3;

/** Identifiers of the documents that may have a canvas with the address of an identifier. */
function holdersOf(id: string): readonly string[] {
  const parts = id.split("/");
  return Array.from({ length: Math.min(maxLevels, parts.length - 1) }, (_, at) =>
    parts.slice(0, -1 - at).join("/"),
  );
}
