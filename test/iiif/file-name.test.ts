// Names of files that browsers save.

import { expect, test } from "vitest";
import { attachmentNamed } from "../../src/iiif/file-name.ts";

test("a name in ASCII has no character that a system reserves, also none that a wide form becomes", () => {
  expect(attachmentNamed("a.pdf")).toBe('attachment; filename="a.pdf"');
  expect(attachmentNamed("é a.pdf")).toBe(`attachment; filename="e a.pdf"; filename*=UTF-8''%C3%A9%20a.pdf`);
  // Full-width solidus, reverse solidus, colon, per cent sign, semicolon and quotation mark.
  const wide = attachmentNamed("..\uff0f\uff3c\uff1a\uff05\uff1b\uff02.pdf");
  expect(wide).toMatch(/^attachment; filename="\.\._{6}\.pdf"; /);
});
