/** A text of the repository that people read. */
export interface RepositoryText {
  readonly kind: "comment" | "name" | "value" | "title" | "message" | "sentence";
  /** Path below the root. */
  readonly file: string;
  /** From 1. */
  readonly line: number;
  readonly text: string;
}

/** Returns all texts of the files that git knows. */
export function allTexts(root: string): RepositoryText[];
