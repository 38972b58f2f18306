// The names that a row of an operator's table may have for an image: those that rules accept.

import { checkIdentifier } from "../../../iiif/index.ts";
import type { RowNaming } from "../../hooks/lookup.ts";
import { oneForm, withoutQuery } from "./spellings.ts";

/**
 * Names with the page come first, then those of the file, and URLs without their query last. `otherNames`:
 * further identifiers of the same master.
 */
export function createRowNames(otherNames: (identifier: string) => readonly string[]): RowNaming {
  return {
    namesOf(identifier, page) {
      const files = [identifier, ...otherNames(identifier)];
      const names = [...files.map((name) => `${name};${page}`), ...files].map(oneForm);
      return [...new Set([...names, ...names.map(withoutQuery)])];
    },
    formOf: (text) => oneForm(checkIdentifier(text)),
  };
}
