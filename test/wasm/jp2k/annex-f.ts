// The wavelet transforms of ITU-T T.800, Annex F, written like its formulas: sample by sample, in double
// precision.

export type Filter = "5/3" | "9/7";
/** A rectangle of samples in the coordinates of its resolution. */
export interface Area {
  readonly x0: number;
  readonly y0: number;
  readonly x1: number;
  readonly y1: number;
}

export const K = 1.230174104914001;
const [alpha, beta, gamma, delta] = [
  -1.586134342059924, -0.052980118572961, 0.882911075530934, 0.443506852043971,
] as const;

/** A signal over [i0, i1), which the formulas may ask anywhere: extended by PSE (F.3.7). */
function extended(values: readonly number[], i0: number) {
  const period = 2 * (values.length - 1);
  const mod = (i: number) => (((i - i0) % period) + period) % period;
  return (i: number) => values[Math.min(mod(i), period - mod(i))]!;
}

/** One lifting step on the samples of one parity, over a range that reaches beyond the signal. */
function step(of: (i: number) => number, parity: number, change: (at: number, sides: number) => number) {
  const known = new Map<number, number>();
  return (i: number) => {
    if ((i & 1) !== parity) return of(i);
    let value = known.get(i);
    if (value === undefined) known.set(i, (value = change(of(i), of(i - 1) + of(i + 1))));
    return value;
  };
}

const range = (i0: number, i1: number) => Array.from({ length: i1 - i0 }, (_, i) => i0 + i);

/** 1D_SD (F.4.6, F.4.8): interleaved low and high samples. */
export function analyse(filter: Filter, values: readonly number[], i0: number): number[] {
  if (values.length === 1) return [i0 & 1 ? 2 * values[0]! : values[0]!];
  let of = extended(values, i0);
  if (filter === "5/3") {
    of = step(of, 1, (at, sides) => at - Math.floor(sides / 2));
    of = step(of, 0, (at, sides) => at + Math.floor((sides + 2) / 4));
    return range(i0, i0 + values.length).map(of);
  }
  of = step(of, 1, (at, sides) => at + alpha * sides);
  of = step(of, 0, (at, sides) => at + beta * sides);
  of = step(of, 1, (at, sides) => at + gamma * sides);
  of = step(of, 0, (at, sides) => at + delta * sides);
  return range(i0, i0 + values.length).map((i) => (i & 1 ? K * of(i) : of(i) / K));
}

/** 1D_SR (F.3.6, F.3.8) of interleaved low and high samples. */
export function synthesise(filter: Filter, values: readonly number[], i0: number): number[] {
  if (values.length === 1) return [i0 & 1 ? values[0]! / 2 : values[0]!];
  let of = extended(values, i0);
  if (filter === "5/3") {
    of = step(of, 0, (at, sides) => at - Math.floor((sides + 2) / 4));
    of = step(of, 1, (at, sides) => at + Math.floor(sides / 2));
  } else {
    const scaled = of;
    of = (i) => (i & 1 ? scaled(i) / K : scaled(i) * K);
    of = step(of, 0, (at, sides) => at - delta * sides);
    of = step(of, 1, (at, sides) => at - gamma * sides);
    of = step(of, 0, (at, sides) => at - beta * sides);
    of = step(of, 1, (at, sides) => at - alpha * sides);
  }
  return range(i0, i0 + values.length).map(of);
}

type Rows = readonly (readonly number[])[];
const transposed = (rows: Rows): number[][] => rows[0]!.map((_, x) => rows.map((row) => row[x]!));

/** 2D_SD without deinterleaving (F.4.2): columns, then rows. */
export function analyseArea(filter: Filter, rows: Rows, { x0, y0 }: Area): number[][] {
  const columns = transposed(rows).map((column) => analyse(filter, column, y0));
  return transposed(columns).map((row) => analyse(filter, row, x0));
}

/** 2D_SR of interleaved bands (F.3.2): rows, then columns. */
export function synthesiseArea(filter: Filter, rows: Rows, { x0, y0 }: Area): number[][] {
  const across = rows.map((row) => synthesise(filter, row, x0));
  return transposed(transposed(across).map((column) => synthesise(filter, column, y0)));
}
