// Finds the mistakes in the files next to the images of a folder, annotations and METS, as the doctor shows
// them. Opens no image.

import { type Finding, ServiceError } from "../../../base/index.ts";
import type { AnnotationFiles } from "../folders/annotation-files.ts";
import { readAnnotationsName } from "../folders/annotation-names.ts";
import type { ListedFolder } from "../folders/folders.ts";
import { problem } from "../folders/manifest-file-text.ts";
import { type FolderLocation, identifierOf, inside } from "../locations.ts";
import { foldName, stemsOfImage } from "../texts/text-files.ts";

/** Yields the first mistake of each file, whose identifier is in `file`. */
export async function* besideFaults(
  files: Pick<AnnotationFiles, "read">,
  location: FolderLocation,
  { listing, mets }: ListedFolder,
): AsyncGenerator<Finding> {
  const { annotations, images } = listing;
  if (mets?.fault) yield { ...mets.fault, file: identifierOf(inside(location, mets.name)) };
  if (annotations.length === 0) return;
  const stems = new Set(images.flatMap(({ name }) => [...stemsOfImage(name)].map(foldName)));
  for (const listed of annotations) {
    const { stem } = readAnnotationsName(listed.name) ?? {};
    const file = identifierOf(inside(location, listed.name));
    if (stem !== undefined && !stems.has(foldName(stem))) yield { ...noImage, file };
    const [first] = await faultsOf(files, location, listed);
    if (first) yield { ...first, file };
  }
}

const noImage = problem(
  "there is no image with the beginning of this name; expected the name of an image, followed by .annotations.json",
);

async function faultsOf(
  files: Pick<AnnotationFiles, "read">,
  location: FolderLocation,
  listed: { readonly name: string; readonly validator?: string },
): Promise<readonly Finding[]> {
  try {
    return (await files.read(location, listed))?.faults() ?? [];
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    return [problem(error.message)];
  }
}
