// Removes characters at the ends of text from requests. A regular expression such as /\/+$/ tries each run of
// slashes from each of its positions: 28 s of CPU for 120,000 of them.

/** Returns text without the slashes at both of its ends. */
export function trimSlashes(text: string): string {
  let from = 0;
  while (text[from] === "/") from++;
  return trimFinalSlashes(text.slice(from));
}

/** Returns text without the slashes at its end. */
export const trimFinalSlashes = (text: string): string => trimFinal(text, "/");

/** Returns text without any of some characters, each of one UTF-16 unit, at its end. */
export function trimFinal(text: string, characters: string): string {
  let to = text.length;
  while (to > 0 && characters.includes(text[to - 1] as string)) to--;
  return text.slice(0, to);
}
