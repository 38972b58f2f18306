// Points along the path of an SVG (SVG 1.1, section 8.3): all ends of its segments, and samples of its
// curves.

export type Point = readonly [x: number, y: number];

/** Number of samples of a curve; they include the extreme points of half and quarter circles. */
const samples = 64;

/** Number of arguments of each command. */
const counts: Readonly<Record<string, number>> = {
  m: 2,
  l: 2,
  h: 1,
  v: 1,
  c: 6,
  s: 4,
  q: 4,
  t: 2,
  a: 7,
  z: 0,
};

/** Current point of a path. */
interface Pen {
  readonly at: Point;
  /** Start of the current subpath. */
  readonly start: Point;
  /** The last control point of a curve, and the kind of curve that continues with its reflection. */
  readonly control?: { readonly by: string; readonly point: Point } | undefined;
}

/** Yields the points of the attribute `d`, up to its first fault, like browsers draw it. */
export function* pathPoints(d: string): Generator<Point> {
  const scan = scanner(d);
  let pen: Pen = { at: [0, 0], start: [0, 0] };
  let command = scan.letter();
  if (command?.toLowerCase() !== "m") return;
  while (command !== undefined) {
    const kind = command.toLowerCase();
    const numbers = scan.numbers(counts[kind] ?? -1, kind === "a");
    if (numbers === undefined) return;
    pen = yield* segment(kind, numbers, command === kind ? pen.at : [0, 0], pen);
    yield pen.at;
    command = scan.letter() ?? (scan.isAtEnd() ? undefined : further[command]);
  }
}

/** Commands for repeated arguments: pairs after a move are lines, and nothing follows a closed path. */
const further: Readonly<Record<string, string>> = {
  M: "L",
  m: "l",
  ...Object.fromEntries([..."LHVCSQTAlhvcsqta"].map((letter) => [letter, letter])),
};

/**
 * Yields the samples of one segment; returns its end. `origin`: the point that its coordinates are relative
 * to.
 */
function* segment(
  kind: string,
  numbers: readonly number[],
  [dx, dy]: Point,
  pen: Pen,
): Generator<Point, Pen> {
  const { at, start, control } = pen;
  const point = (n: number): Point => [(numbers[n] ?? 0) + dx, (numbers[n + 1] ?? 0) + dy];
  const reflectControl = (): Point =>
    control?.by === kind ? [2 * at[0] - control.point[0], 2 * at[1] - control.point[1]] : at;
  const last = numbers.length - 2;
  switch (kind) {
    case "m":
      return { at: point(0), start: point(0) };
    case "z":
      return { at: start, start };
    case "h":
      return { at: [point(0)[0], at[1]], start };
    case "v":
      return { at: [at[0], (numbers[0] ?? 0) + dy], start };
    case "c":
    case "s": {
      const [first, second] = kind === "c" ? [point(0), point(2)] : [reflectControl(), point(0)];
      yield* bezier([at, first, second, point(last)]);
      return { at: point(last), start, control: { by: "s", point: second } };
    }
    case "q":
    case "t": {
      const middle = kind === "q" ? point(0) : reflectControl();
      yield* bezier([at, middle, point(last)]);
      return { at: point(last), start, control: { by: "t", point: middle } };
    }
    case "a":
      yield* arc(at, numbers, point(last));
      return { at: point(last), start };
    default:
      return { at: point(last), start };
  }
}

/** Yields samples of a Bézier curve (De Casteljau). */
function* bezier(points: readonly Point[]): Generator<Point> {
  for (let n = 1; n < samples; n++) {
    const t = n / samples;
    let rest = points;
    while (rest.length > 1)
      rest = rest.slice(1).map(([x, y], i) => {
        const [x0, y0] = rest[i] as Point;
        return [x0 + t * (x - x0), y0 + t * (y - y0)];
      });
    yield rest[0] as Point;
  }
}

/** Yields samples of an elliptical arc (SVG 1.1, appendix F.6.5: from endpoints to centre). */
function* arc(from: Point, numbers: readonly number[], to: Point): Generator<Point> {
  const [rx0 = 0, ry0 = 0, degrees = 0, large = 0, sweep = 0] = numbers;
  const [cos, sin] = [Math.cos((degrees * Math.PI) / 180), Math.sin((degrees * Math.PI) / 180)];
  const [hx, hy] = [(from[0] - to[0]) / 2, (from[1] - to[1]) / 2];
  const [x1, y1] = [cos * hx + sin * hy, cos * hy - sin * hx];
  let [rx, ry] = [Math.abs(rx0), Math.abs(ry0)];
  // An arc without a radius is a line.
  if (rx === 0 || ry === 0) return;
  const excess = (x1 / rx) ** 2 + (y1 / ry) ** 2;
  if (excess > 1) [rx, ry] = [rx * Math.sqrt(excess), ry * Math.sqrt(excess)];
  const square = Math.max(0, 1 / Math.min(1, excess) - 1);
  const factor = (large === sweep ? -1 : 1) * Math.sqrt(square);
  const [cx1, cy1] = [(factor * rx * y1) / ry, (-factor * ry * x1) / rx];
  const centre: Point = [
    cos * cx1 - sin * cy1 + (from[0] + to[0]) / 2,
    sin * cx1 + cos * cy1 + (from[1] + to[1]) / 2,
  ];
  const begin = Math.atan2((y1 - cy1) / ry, (x1 - cx1) / rx);
  const end = Math.atan2((-y1 - cy1) / ry, (-x1 - cx1) / rx);
  const turn = 2 * Math.PI;
  const angle = sweep ? (end - begin + turn) % turn : -((begin - end + turn) % turn);
  for (let n = 1; n < samples; n++) {
    const t = begin + (angle * n) / samples;
    const [x, y] = [rx * Math.cos(t), ry * Math.sin(t)];
    yield [centre[0] + cos * x - sin * y, centre[1] + sin * x + cos * y];
  }
}

/** Scans letters and numbers, each character once. */
function scanner(text: string) {
  const spaces = /[\s,]*/y;
  const number = /[-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?/iy;
  const flag = /[01]/y;
  let at = 0;
  const take = (pattern: RegExp): string | undefined => {
    pattern.lastIndex = at;
    const found = pattern.exec(text)?.[0];
    at += found?.length ?? 0;
    return found;
  };
  return {
    /** Returns the next character if it is a command letter. */
    letter() {
      take(spaces);
      return take(/[a-z]/iy);
    },
    isAtEnd: () => at >= text.length,
    /**
     * Returns `count` numbers; undefined if there are fewer. `isArc`: the fourth and fifth are one digit
     * each.
     */
    numbers(count: number, isArc: boolean): readonly number[] | undefined {
      if (count < 0) return undefined;
      const found: number[] = [];
      while (found.length < count) {
        take(spaces);
        const next = take(isArc && (found.length === 3 || found.length === 4) ? flag : number);
        if (next === undefined) return undefined;
        found.push(Number(next));
      }
      return found;
    },
  };
}
