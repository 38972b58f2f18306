/** Returns a count with its noun in English, such as `1,204 images`; an empty text for 0. */
export const countText = (count: number, noun: string): string =>
  count === 0 ? "" : `${count.toLocaleString("en")} ${noun}${count === 1 ? "" : "s"}`;
