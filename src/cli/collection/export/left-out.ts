// What an export leaves out because only readers with a login may see it.

import { ServiceError } from "../../../base/index.ts";

export interface LeftOut {
  /** Images, pages counted separately. */
  readonly images: number;
  /** Documents that need a login, and those that have nothing left. */
  readonly documents: number;
  /** Identifiers of the first thousand images and documents. */
  readonly identifiers: readonly string[];
}

export interface LeftOutNotes {
  note(kind: "image" | "document", identifier: string): void;
  /** True for an image that was noted. */
  hasImage(identifier: string): boolean;
  report(): LeftOut;
}

/** Identifiers that a report names: all of them would fill the memory if everything is gated. */
const maxNamed = 1000;

export function createLeftOutNotes(): LeftOutNotes {
  const noted = { image: new Set<string>(), document: new Set<string>() };
  const named: string[] = [];
  return {
    note(kind, identifier) {
      if (noted[kind].has(identifier)) return;
      noted[kind].add(identifier);
      if (named.length < maxNamed) named.push(identifier);
    },
    hasImage: (identifier) => noted.image.has(identifier),
    report: () => ({ images: noted.image.size, documents: noted.document.size, identifiers: named }),
  };
}

/** The error of an image or a document that only readers with a login may see. */
export const gatedError = () =>
  new ServiceError(
    "unauthorized",
    "Only readers with a login may see this. An export has no logins, so it is left out.",
    { code: "access_denied" },
  );

/** True for the error of something that only readers with a login may see. */
export const isGatedError = (error: unknown): boolean =>
  error instanceof ServiceError && error.kind === "unauthorized";
