// The annotations of the manifest of a single image: those of the file next to it.

import { type CanvasFacts, pieceAddress, type Resource } from "../../../iiif/index.ts";
import { namesThere } from "../folders/names-there.ts";
import { locationOf, splitLocation } from "../locations.ts";
import { attachedBeside } from "./attached.ts";
import { annotationNamesOf } from "./attached-files.ts";
import { withCanvases } from "./image-texts.ts";
import type { Made, Making } from "./making.ts";
import { findDerived } from "./targets.ts";

/**
 * Returns the manifest of an image whose canvases refer to its annotations; unchanged on a source that cannot
 * tell cheaply what it has.
 */
export async function withAnnotations(
  making: Making,
  made: Made,
  identifier: string,
  facts: readonly CanvasFacts[],
): Promise<Made> {
  const { sources } = making.parts;
  const location = locationOf(sources, identifier);
  const { folder, name } = splitLocation(location);
  const there = await namesThere(folder, annotationNamesOf(name));
  if (there.length === 0) return made;
  const listing = { images: [{ name }], annotations: there.map((each) => ({ name: each })) };
  const { attach } = await attachedBeside(making, folder, listing);
  const address = String(made.document.id);
  const idOf = (number: number) => pieceAddress(address, { kind: "canvas", number });
  const attached = await attach({
    address,
    find: findDerived(sources, location, address),
    key: address,
    annotations: undefined,
    canvases: async () =>
      facts.map(({ identifier, label }, at) => ({ id: idOf(at + 1), identifier, label, file: name })),
    async sizedCanvas(number) {
      const size = facts[number - 1]?.size;
      return size && { id: idOf(number), ...size };
    },
  });
  const add = (canvas: Resource, index: number): Resource => {
    const own = facts[index]?.visible ? attached.of(index + 1, name) : [];
    return own.length === 0
      ? canvas
      : { ...canvas, annotations: [...[canvas.annotations ?? []].flat(), ...own] };
  };
  return { ...withCanvases(made, add), attached };
}
