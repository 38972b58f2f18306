// Values of a PDF file (ISO 32000-2, section 7.3).

export type PdfValue =
  | null
  | boolean
  | number
  | PdfName
  | PdfReference
  | Uint8Array // a string
  | readonly PdfValue[]
  | PdfDictionary;

export interface PdfName {
  readonly name: string;
}

/** An indirect object by its number; generations do not matter, since the table names the latest. */
export interface PdfReference {
  readonly object: number;
}

export type PdfDictionary = ReadonlyMap<string, PdfValue>;

export const isReference = (value: PdfValue | undefined): value is PdfReference =>
  typeof value === "object" && value !== null && "object" in value;

/** Returns the text of a name; undefined for any other value. */
export const nameOf = (value: PdfValue | undefined): string | undefined =>
  typeof value === "object" && value !== null && "name" in value ? value.name : undefined;

export const dictionaryOf = (value: PdfValue | undefined): PdfDictionary | undefined =>
  value instanceof Map ? value : undefined;

export const arrayOf = (value: PdfValue | undefined): readonly PdfValue[] | undefined =>
  Array.isArray(value) ? (value as readonly PdfValue[]) : undefined;

/** Returns a number that is finite; undefined for any other value. */
export const numberOf = (value: PdfValue | undefined): number | undefined =>
  typeof value === "number" && Number.isFinite(value) ? value : undefined;

/** Returns a whole number from 0 on; undefined for any other value. */
export const countOf = (value: PdfValue | undefined): number | undefined =>
  typeof value === "number" && Number.isSafeInteger(value) && value >= 0 ? value : undefined;
