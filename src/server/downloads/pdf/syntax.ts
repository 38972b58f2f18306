// Objects of a PDF file as text (ISO 32000-1, 7.3).

/** Returns a reference to an object by its number. */
export const ref = (number: number): string => `${number} 0 R`;

/** Returns a number with at most three decimals, and never with an exponent (7.3.3). */
export const decimal = (value: number): string => String(Number(value.toFixed(3)));

/** Returns a dictionary; entries without a value are left out. Keys are written as they are. */
export const dictionary = (entries: Readonly<Record<string, string | undefined>>): string =>
  `<< ${Object.entries(entries)
    .flatMap(([key, value]) => (value === undefined ? [] : [`/${key} ${value}`]))
    .join(" ")} >>`;

/** Returns a text with U+FFFD in place of lone surrogates. */
export const wellFormed = (text: string): string => text.replace(/\p{Surrogate}/gu, "\ufffd");

/** Returns a text string: as it is if all of it is ASCII, else in UTF-16 (7.9.2.2). */
export function textString(text: string): string {
  if (/^[\x20-\x7e]*$/.test(text)) return `(${text.replace(/[\\()]/g, "\\$&")})`;
  return `<FEFF${hexOf(wellFormed(text))}>`;
}

/** Returns four hexadecimal digits for each UTF-16 code unit. */
export function hexOf(text: string): string {
  let digits = "";
  for (let i = 0; i < text.length; i++) digits += hex4(text.charCodeAt(i));
  return digits;
}

export const hex4 = (value: number): string => value.toString(16).toUpperCase().padStart(4, "0");
