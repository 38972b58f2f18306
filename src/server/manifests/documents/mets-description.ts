// What a METS file says of a folder of images, as if its operator had described it.

import type { Description, PartDescription } from "../../../iiif/index.ts";
import type { Folder } from "../folders/folder.ts";
import { orderedPages } from "../folders/mets-file.ts";

/**
 * Returns a description with the order and the labels of the METS file of a folder, except for what the
 * operator describes; the same one if that changes nothing.
 */
export function withMets(description: Description, { mets, listing }: Folder): Description {
  const pages = mets ? orderedPages(mets, listing.images) : [];
  if (pages.length === 0) return description;
  const nameOf = (name: string) => ({ name, path: [] });
  const inOrder = pages.every(({ image }, at) => listing.images[at]?.name === image);
  const labels = pages.flatMap(({ image, label }): PartDescription[] =>
    label === undefined
      ? []
      : [{ named: nameOf(image), hidden: false, members: { label: { none: [label] } }, extra: {} }],
  );
  const isOrdered = inOrder || description.order.length > 0;
  if (isOrdered && labels.length === 0) return description;
  return {
    ...description,
    ...(!isOrdered && { order: pages.map(({ image }) => nameOf(image)) }),
    parts: [...labels, ...description.parts],
  };
}
