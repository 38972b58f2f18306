// A folder with a manifest file results in the structure of the public cookbook's recipes.

import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { collectionOf, manifestOf } from "../../../src/iiif/presentation/derive.ts";
import { readDescription } from "../../../src/iiif/presentation/description/description.ts";
import {
  arrangeMembers,
  describeCollection,
  describeManifest,
} from "../../../src/iiif/presentation/description/merge.ts";
import type { MemberFacts } from "../../../src/iiif/presentation/model.ts";
import { expectValid, type Read } from "./checked.ts";
import { base, context, image, unreadable } from "./facts.ts";
import { outlineOf } from "./outline.ts";

const recipes: Read = JSON.parse(
  readFileSync(new URL("../../fixtures/cookbook.json", import.meta.url), "utf8"),
);

/** The description in a manifest file; the images of a folder are 1.jpg, 2.jpg and so on. */
function manifestFile(yaml: string, kind: "manifest" | "collection") {
  const { description, faults } = readDescription(parse(yaml), kind);
  expect(faults).toEqual([]);
  return description;
}

/**
 * Returns the manifest of a folder whose images have the sizes of those of a recipe, if these can be read.
 */
function manifest(recipe: Read, yaml: string) {
  const canvases = recipe.items.map(({ width, height, items }: Read, at: number) =>
    items.length === 0 ? unreadable(`x/${at + 1}.jpg`) : image(`x/${at + 1}.jpg`, width, height),
  );
  const derived = manifestOf({ id: "x", label: "x", canvases }, context);
  return describeManifest(derived, manifestFile(yaml, "manifest"), canvases, base);
}

const book = `
label: {en: A book}
canvases:
  1: {label: {en: Blank page}}
  2: {label: {en: Frontispiece}}
  3: {label: {en: Title page}}
  4: {label: {en: Blank page}}
  5: {label: {en: Bookplate}}
`;
const openings = `
viewingDirection: right-to-left
canvases:
  1: {label: {en: Front cover}}
  2: {label: {en: Pages 1 and 2}}
  3: {label: {en: Pages 3 and 4}}
  4: {label: {en: Pages 5 and 6}}
  5: {label: {en: Back cover}}
`;
const four = `
canvases:
  1: {label: {en: one}}
  2: {label: {en: two}}
  3: {label: {en: three}}
  4: {label: {en: four}}
`;

describe("a folder of images with a manifest file has the structure of recipe", () => {
  test.each<[string, string]>([
    ["0001-mvm-image", "label: {en: A single image}"],
    ["0005-image-service", "label: {en: A picture}\ncanvases: {1: {label: {en: The only one}}}"],
    [
      "0006-text-language",
      `
label: {en: Mother, fr: Mère}
summary: {en: A portrait, fr: Un portrait}
metadata:
  - label: {en: Creator, fr: Auteur}
    value: Whistler
  - label: {en: Subject, fr: Sujet}
    value: {en: Mother, fr: Mère}
requiredStatement:
  label: {en: Held by, fr: Détenu par}
  value: A museum
`,
    ],
    [
      "0008-rights",
      `
label: {en: A picture}
summary: {en: <p>Taken by somebody</p>}
rights: CC BY-SA 3.0
requiredStatement:
  label: {en: Attribution}
  value: {en: Somebody}
`,
    ],
    ["0009-book-1", `behavior: paged${book}`],
    ["0010-book-2-viewing-direction/manifest-rtl", `label: {en: A playbill}\nsummary: {en: Text}${openings}`],
    [
      "0010-book-2-viewing-direction/manifest-ttb",
      `label: {en: A diary}\nsummary: {en: Text}\nviewingDirection: top-to-bottom${four}`,
    ],
    ["0011-book-3-behavior/manifest-continuous", `label: {gez: መዝሙረ}\nbehavior: continuous${four}`],
    ["0011-book-3-behavior/manifest-individuals", `label: {ca: Llibre}\nbehavior: individuals${four}`],
    [
      "0024-book-4-toc",
      `
label: {en: A manuscript}
canvases:
  1: {label: {en: f. 1r}}
  2: {label: {en: f. 1v}}
  3: {label: {en: f. 2r}}
  4: {label: {en: f. 2v}}
  5: {label: {en: f. 3r}}
  6: {label: {en: f. 3v}}
structures:
  - label: {en: Table of contents}
    items:
      - {label: {gez: ጠቢበ}, items: [1.jpg, 2.jpg]}
      - label: {gez: አርድዕት}
        items:
          - {label: {en: Monday}, items: [3.jpg, 4.jpg]}
          - {label: {en: Tuesday}, from: 5.jpg, to: 6.jpg}
`,
    ],
    [
      "0027-alternative-page-order",
      `
label: {en: Sequences of pages}
provider:
  label: {en: A library}
  homepage: {id: "https://example.org/", label: {en: Homepage}}
  logo:
    - {id: "https://example.org/logo.png", type: Image, format: image/png, width: 89, height: 346}
${four}
structures:
  - {label: {en: As bound}, behavior: sequence, from: 1.jpg, to: 4.jpg}
  - {label: {en: As meant}, behavior: sequence, items: [2, 3, 4, 1]}
`,
    ],
    [
      "0029-metadata-anywhere",
      `
label: {en: A painting}
metadata:
  - {label: {en: Creator}, value: {en: Glindoni}}
  - {label: {en: Date}, value: {en: 1800-1899}}
  - {label: {en: Description}, value: {en: Oil on canvas}}
  - {label: {en: Reference}, value: {en: 47369i}}
requiredStatement: {label: {en: Attribution}, value: {en: A collection}}
canvases:
  1.jpg:
    label: {en: In natural light}
    metadata: [{label: {en: Description}, value: {en: A house}}]
  2.jpg:
    label: {en: By X-rays}
    metadata: [{label: {en: Description}, value: {en: Skulls}}]
`,
    ],
    ["0030-multi-volume/manifest_v1", `label: {en: Volume 1}\nbehavior: individuals${openings}`],
    [
      "0031-bound-multivolume",
      `
label: {de: Ceremonien}
canvases:
  1: {label: {en: Front cover}}
  2: {label: {en: Inside}}
  3: {label: {en: Title 1}}
  4: {label: {en: Title 1 verso}}
  5: {label: {en: Title 2}}
  6: {label: {en: Title 2 verso}}
structures:
  label: {de: Ceremonien}
  items:
    - {label: {en: Front matter}, items: [1, 2]}
    - {label: {de: Erste Ausgabe}, items: [3, 4]}
    - {label: {de: Zweyte Ausgabe}, items: [5, 6]}
`,
    ],
    [
      "0035-foldouts",
      `
label: {en: Geology}
behavior: paged
canvases:
  1: {label: {en: Front cover}}
  2: {label: {en: Inside front cover}}
  3: {label: {en: Foldout folded}}
  4: {label: {en: Foldout unfolded}, behavior: non-paged}
  5: {label: {en: Foldout folded recto}}
  6: {label: {en: Title page}}
  7: {label: {en: Title page verso}}
  8: {label: {en: Inside back cover}}
  9: {label: {en: Back cover}}
`,
    ],
    [
      "0046-rendering",
      `
label: {en: Other forms}
summary: {en: Text}
rendering: {id: "https://example.org/x.pdf", label: {en: PDF}}
${openings}`,
    ],
    [
      "0047-homepage",
      `
label: A statue
homepage: {id: "https://example.org/103", label: {en: At the museum}, language: en}
canvases: {1.jpg: Front}
`,
    ],
    [
      "0053-seeAlso",
      `
label: {en: Links to data}
summary: {en: Text}
seeAlso:
  id: https://example.org/mods.xml
  label: {en: MODS}
  format: text/xml
  profile: http://www.loc.gov/mods/v3
${openings}`,
    ],
    [
      "0117-add-image-thumbnail",
      `
label: {en: A cover}
summary: {en: Text}
thumbnail: 1.jpg
canvases: {1.jpg: {label: {en: Front cover}}}
`,
    ],
    [
      "0118-multivalue",
      `
label: {fr: Arrangement}
summary: {en: A painting}
metadata:
  - label: {en: Other titles}
    value: {en: [Mother, Arrangement], fr: [Portrait, Mère]}
`,
    ],
    ["0202-start-canvas", `start: 2.jpg${book}`],
    [
      "0230-navdate/navdate_map_1-manifest",
      "label: {en: A map}\nnavDate: 1987\ncanvases: {1: {label: {en: Both sides}}}",
    ],
    [
      "0234-provider",
      `
label: {en: A cover}
summary: {en: Text}
provider:
  id: https://example.org/authority/1
  label: {en: A library}
  homepage: {id: "https://example.org/", label: {en: Collections}, language: [en]}
  logo:
    id: https://example.org/logo/full/max/0/default.png
    type: Image
    service: [{id: "https://example.org/logo", type: ImageService3, profile: level2}]
  seeAlso:
    id: https://example.org/mads.xml
    label: {en: About the library}
    profile: http://www.loc.gov/mads/v2
canvases: {1.jpg: {label: {en: Front cover}}}
`,
    ],
    [
      "0283-missing-image",
      `
label: {en: A manuscript}
canvases:
  1: {label: {en: f. 1r}}
  2:
    label: {en: f. 1v is missing}
    metadata: [{label: {en: Description}, value: {en: Not there}}]
  3: {label: {en: f. 2r}}
  4: {label: {en: f. 2v}}
`,
    ],
  ])("%s", (name, yaml) => {
    const recipe = recipes[name];
    const { document, faults } = manifest(recipe, yaml);
    expect(faults).toEqual([]);
    expectValid(document);
    // Both services and thumbnails are more than recipes ask for.
    expect(outlineOf(document)).toMatchObject(recipe);
    expect(Object.keys(outlineOf(document)).sort()).toEqual(
      [...new Set([...Object.keys(recipe), "thumbnail"])].sort(),
    );
  });
});

describe("a folder of folders with a manifest file has the structure of recipe", () => {
  test.each<[string, string]>([
    [
      "0030-multi-volume",
      `
label: {jp: 青楼}
behavior: multi-part
items: {a: {label: {jp: 巻 1}}, b: {label: {jp: 巻 2}}}
`,
    ],
    ["0032-collection", "label: {en: Two}\nitems: {a: {label: {en: One}}, b: {label: {en: Another}}}"],
    [
      "0230-navdate/navdate-collection",
      `
label: {en: Maps}
items: {a: {label: {en: Map 1}, navDate: 1986}, b: {label: {en: Map 2}, navDate: 1987}}
`,
    ],
  ])("%s", (name, yaml) => {
    const recipe = recipes[name];
    const description = manifestFile(yaml, "collection");
    const members = ["a", "b"].map(
      (id): MemberFacts => ({ kind: "manifest", id, label: id, thumbnail: image(`${id}/1.jpg`) }),
    );
    const arranged = arrangeMembers(members, description);
    const derived = collectionOf({ id: "", label: "x", members: arranged.document }, context);
    const { document, faults } = describeCollection(derived, description, base);
    expect([...arranged.faults, ...faults]).toEqual([]);
    expectValid(document);
    expect(outlineOf(document)).toMatchObject(recipe);
    expect(outlineOf(document).items).toHaveLength(recipe.items.length);
  });
});
