// What one caller may read about the images and documents that an address names. The address of a canvas
// counts for the images on it.

import { ServiceError } from "../../errors.ts";
import type { Resource } from "../../iiif/presentation/model.ts";
import { documentAddress, type PresentationPath, pieceAddress } from "../../iiif/presentation/mounts.ts";
import { type OwnNames, ownNames } from "../../iiif/presentation/own-addresses.ts";
import { imagesOf, type Right } from "../../iiif/presentation/withheld.ts";
import type { Gate } from "../gate.ts";
import type { Canvases } from "./making.ts";

export interface ReadableParts {
  readonly gate: Gate;
  /** Public URL of the service, without a trailing /. */
  readonly base: string;
  /** Paths of the Image API. */
  readonly imagePrefixes: readonly string[];
  /** Returns the canvases of a document by its identifier; undefined if it has none. */
  readonly canvasesOf: (id: string) => Promise<Canvases | undefined>;
}

export interface Question {
  readonly right: Right;
  readonly address: string;
  /** Address of the document that a canvas is part of, if its own address need not say so. */
  readonly within?: string | undefined;
}

/** Most documents that are opened for one response to find the images of canvases. */
const mostOpened = 1000;

/**
 * Returns a function that answers questions about addresses. What is not of this service may be read by
 * everybody; what cannot be decided, by nobody.
 */
export function createReadable({ gate, base, imagePrefixes, canvasesOf }: ReadableParts) {
  const namesIn = (address: string) => ownNames(address, imagePrefixes);
  const opened = new Map<string, Promise<Canvases | undefined>>();
  const open = (id: string): Promise<Canvases | undefined> => {
    const known = opened.get(id);
    if (known) return known;
    if (opened.size >= mostOpened)
      throw new ServiceError("too-large", `Expected targets in at most ${mostOpened} documents.`);
    const canvases = canvasesOf(id);
    opened.set(id, canvases);
    return canvases;
  };

  /** The canvas that an address names, which may be any address below that of its document. */
  const findCanvas = async (
    { documents }: OwnNames,
    address: string,
    around: OwnNames | undefined,
  ): Promise<Resource | undefined> => {
    const possible = [
      ...(around?.documents ?? []).map(({ id }) => [id, address] as const),
      ...documents.flatMap((reading) =>
        holdersOf(reading).map((id) => [id, addressOf(base, reading)] as const),
      ),
    ];
    for (const [id, canvas] of possible) {
      const canvases = await open(id);
      const place = await canvases?.placeOf(canvas);
      const found = place === undefined ? undefined : await canvases?.at(place);
      if (found) return found;
    }
    return undefined;
  };

  const mayReadAll = async (ids: Iterable<string>, by: "all" | "rules"): Promise<boolean> => {
    let all = true;
    for (const id of new Set(ids)) all = (await gate.mayRead(id, by)) && all;
    return all;
  };

  const mayReadText = async (address: string, within: string | undefined): Promise<boolean> => {
    const names = namesIn(address);
    if (names.image !== undefined) return gate.mayRead(names.image, "all");
    const around = within === undefined ? undefined : namesIn(within);
    const canvas = await findCanvas(names, address, around);
    const images = (canvas ? imagesOf(canvas) : []).flatMap((each) => namesIn(each).image ?? []);
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
      return await mayReadAll(all.filter(gate.keepsDocuments), "all");
    } catch (error) {
      if (!(error instanceof ServiceError) || error.kind === "cancelled") throw error;
      gate.doubt();
      return false;
    }
  };
}

/** The identifiers that rules for a document may name. */
const idsOf = (readings: readonly PresentationPath[]) => readings.flatMap(({ id, of }) => [id, of]);

/** Address of what a reading names in the documents of this request. */
function addressOf(base: string, { id, piece }: PresentationPath): string {
  const document = documentAddress(base, id);
  return piece === undefined ? document : pieceAddress(document, piece);
}

/** Levels below the address of a document at which a canvas with an address of its own may be. */
const mostLevels = 3;

/** Identifiers of the documents that may have a canvas with the address of a reading. */
function holdersOf({ id, piece }: PresentationPath): readonly string[] {
  if (piece) return [id];
  const parts = id.split("/");
  return Array.from({ length: Math.min(mostLevels, parts.length - 1) }, (_, at) =>
    parts.slice(0, -1 - at).join("/"),
  );
}
