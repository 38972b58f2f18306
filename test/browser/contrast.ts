// The contrast of two colours, for tests of pages.

/** Contrast of two colours as WCAG 2.2 defines it, of `rgb(r, g, b)`. */
export function contrast(...colours: readonly [string, string]): number {
  const luminances = colours.map((colour) => {
    const [r = 0, g = 0, b = 0] = (colour.match(/\d+/g) ?? []).map((digits) => {
      const value = Number(digits) / 255;
      return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  });
  return (Math.max(...luminances) + 0.05) / (Math.min(...luminances) + 0.05);
}
