// The names of files of annotations, next to the images that they are about.

/** The file with annotations of all images of a folder. */
const ofFolder = "annotations.json";

/** What follows the name of an image, with or without its extension, in the name of its file. */
export const annotationsEnding = `.${ofFolder}`;

/** What the name of a file of annotations says. */
export interface AnnotationsName {
  /** The name of its image, with or without its extension; absent for the file of a folder. */
  readonly stem?: string;
}

/** Returns what a name says; undefined for one that no file of annotations has. */
export function readAnnotationsName(name: string): AnnotationsName | undefined {
  const lower = name.toLowerCase();
  if (lower === ofFolder) return {};
  const stem = name.slice(0, -annotationsEnding.length);
  return lower.endsWith(annotationsEnding) && stem !== "" ? { stem } : undefined;
}
