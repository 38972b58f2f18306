// Long texts of hostile tests.

/** Characters of a text: about a megabyte. */
const length = 2 ** 20;

/** A unit again and again, cut to a megabyte. */
export const fill = (unit: string, most = length): string =>
  unit.repeat(Math.ceil(most / unit.length)).slice(0, most);

/** Parts by their number, up to a megabyte. */
export function filled(part: (n: number) => string): string {
  const parts: string[] = [];
  for (let [n, size] = [0, 0]; size < length; n++) {
    parts.push(part(n));
    size += (parts[n] as string).length;
  }
  return parts.join("");
}
