// The facts of a diagnosis, by section.

import type { Fact, SectionName } from "../diagnosis.ts";
import type { DiagnosisFacts } from "../known.ts";
import { accessRows } from "./access.ts";
import { colourRows, metadataRows } from "./colour.ts";
import { costsRows } from "./costs.ts";
import { fileRows, pictureRows } from "./file.ts";
import type { Row } from "./row.ts";
import { levelsRows, storageRows } from "./storage.ts";

const rows: Readonly<Record<SectionName, readonly Row[]>> = {
  file: fileRows,
  picture: pictureRows,
  storage: storageRows,
  colour: colourRows,
  metadata: metadataRows,
  levels: levelsRows,
  costs: costsRows,
  access: accessRows,
};

/** Returns the known facts of a section. */
export function factsOf(section: SectionName, known: DiagnosisFacts): readonly Fact[] {
  return rows[section].flatMap(({ name, label, value: read, text = String }) => {
    const value = read(known);
    return value === undefined ? [] : [{ name, label, value, text: text(value, known) }];
  });
}
