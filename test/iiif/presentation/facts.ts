// Facts for the tests of documents.

import type { CanvasFacts, DocumentContext } from "../../../src/iiif/presentation/model.ts";

export const base = "https://example.org/scans";

export const context: DocumentContext = {
  base,
  imagePrefixes: { 2: "/iiif/2/", 3: "/iiif/3/" },
  limits: { maxWidth: 0, maxHeight: 0, maxArea: 0 },
};

/** The texts of a login. */
export const profile = {
  name: "staff",
  pattern: "active",
  label: { en: ["Log in"] },
  heading: {},
  description: {},
  note: "",
  confirm_label: "",
  access_service: { backend: "file" },
} as const;

/** A public image of a size. */
export function image(
  identifier: string,
  width = 3000,
  height = 4000,
  more: Partial<CanvasFacts> = {},
): CanvasFacts {
  const label = identifier.split("/").at(-1) as string;
  return { identifier, label, size: { width, height }, visible: true, ...more };
}

/** Returns the facts of an unreadable image. */
export function unreadable(identifier: string): CanvasFacts {
  const { size: _, ...rest } = image(identifier, 1, 1, {
    problem: "This file is no image that we can read.",
  });
  return rest;
}
