// Order statistics, and a table of figures in plain text.

/** Returns the median; the mean of the two middle numbers if their count is even; undefined for none. */
export function median(values) {
  const sorted = values.filter(Number.isFinite).sort((a, b) => a - b);
  if (sorted.length === 0) return undefined;
  return (sorted[(sorted.length - 1) >> 1] + sorted[sorted.length >> 1]) / 2;
}

/**
 * Smallest of the numbers that at least the share `q` of them does not exceed (nearest rank); undefined of
 * none.
 */
export function quantile(values, q) {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(q * sorted.length) - 1)];
}

/** Arithmetic mean; undefined of none. */
export const mean = (values) =>
  values.length === 0 ? undefined : values.reduce((sum, value) => sum + value, 0) / values.length;

/** Returns a quotient; undefined if a side is missing. */
export const ratio = (a, b) => (Number.isFinite(a) && b > 0 ? a / b : undefined);

/** Formats a number for people: three digits that count, "-" if it is missing. */
export function figure(value) {
  if (!Number.isFinite(value)) return "-";
  const size = Math.abs(value);
  return value.toFixed(size >= 99.95 ? 0 : size >= 9.995 ? 1 : 2);
}

/**
 * Rows of cells (text or numbers) under a heading; the first `left` columns are set left, the others right.
 */
export function table(heading, rows, left = 2) {
  const lines = [heading, ...rows].map((cells) =>
    cells.map((cell) => (typeof cell === "string" ? cell : figure(cell))),
  );
  const widths = heading.map((_, column) => Math.max(...lines.map((cells) => cells[column].length)));
  return lines
    .map((cells) =>
      cells
        .map((cell, column) => (column < left ? cell.padEnd(widths[column]) : cell.padStart(widths[column])))
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}
