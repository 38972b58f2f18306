// Finds out from the operators of a page if it shows exactly one image (ISO 32000-2, annex A). Text that is
// invisible, or below the image, does not matter; anything else does.

import { isWord, Scanner } from "../syntax/scanner.ts";
import { nameOf, numberOf, type PdfValue } from "../syntax/values.ts";
import { type Box, identity, isAxisParallel, type Matrix, multiply, transformBox } from "./matrix.ts";

/** An image on a page, by its name in the resources. */
export interface Placed {
  readonly image: string;
  /** From the unit square to the page. */
  readonly matrix: Matrix;
  /** Rectangles that it is clipped to. */
  readonly clips: readonly Box[];
  /** Names of the graphics states that apply to it. */
  readonly states: readonly string[];
}

/** Why a page is not one image, in words that follow "it". */
export interface Other {
  readonly reason: string;
}

/** Saved states, operands of an operator, and operators of a page. */
const [maxSaved, maxOperands, maxOperators] = [64, 64, 200_000];

interface State {
  matrix: Matrix;
  clips: readonly Box[];
  states: readonly string[];
  /** Mode of text rendering: 3 is invisible. */
  mode: number;
}

interface Walk {
  state: State;
  readonly saved: State[];
  placed: Placed | undefined;
  /** Rectangles of the path; undefined if it has anything else. */
  path: Box[] | undefined;
  /** The path becomes a clip when it is painted or ended. */
  clipping: boolean;
}

type Operate = (walk: Walk, operands: readonly PdfValue[]) => string | undefined;

const numbersOf = (operands: readonly PdfValue[], count: number): number[] | undefined => {
  const numbers = operands.slice(-count).map(numberOf);
  return numbers.length === count && numbers.every((each) => each !== undefined)
    ? (numbers as number[])
    : undefined;
};

const ignore: Operate = () => undefined;
const extend: Operate = (walk) => void (walk.path = undefined);

const end: Operate = (walk) => {
  if (walk.clipping && !walk.path) return "it has a clip that is no rectangle";
  if (walk.clipping) walk.state = { ...walk.state, clips: [...walk.state.clips, ...walk.path!] };
  walk.path = [];
  walk.clipping = false;
  return undefined;
};

const paint: Operate = (walk, operands) =>
  walk.placed ? "it has drawings above an image" : end(walk, operands);

const show: Operate = ({ state, placed }) => {
  // Modes from 4 on clip what follows.
  if (state.mode > 3) return "it has a clip of text";
  return placed && state.mode !== 3 ? "it has text above an image" : undefined;
};

const operators: ReadonlyMap<string, Operate> = new Map<string, Operate>([
  [
    "q",
    (walk) => {
      if (walk.saved.length === maxSaved) return "it has too many saved states";
      walk.saved.push({ ...walk.state });
      return undefined;
    },
  ],
  ["Q", (walk) => void (walk.state = walk.saved.pop() ?? walk.state)],
  [
    "cm",
    (walk, operands) => {
      const matrix = numbersOf(operands, 6);
      if (!matrix) return "it has a matrix that is none";
      walk.state = { ...walk.state, matrix: multiply(matrix as unknown as Matrix, walk.state.matrix) };
      return undefined;
    },
  ],
  [
    "gs",
    (walk, operands) => {
      const name = nameOf(operands.at(-1));
      if (name === undefined || walk.state.states.length === maxSaved)
        return "it has too many graphics states";
      walk.state = { ...walk.state, states: [...walk.state.states, name] };
      return undefined;
    },
  ],
  ["Tr", (walk, operands) => void (walk.state = { ...walk.state, mode: numberOf(operands.at(-1)) ?? 0 })],
  [
    "re",
    (walk, operands) => {
      const [x, y, width, height] = numbersOf(operands, 4) ?? [];
      const { matrix } = walk.state;
      if (x === undefined || y === undefined || width === undefined || height === undefined)
        return "it is damaged";
      if (!walk.path || !isAxisParallel(matrix) || walk.path.length > 0) walk.path = undefined;
      else walk.path = [transformBox({ left: x, bottom: y, right: x + width, top: y + height }, matrix)];
      return undefined;
    },
  ],
  ["W", (walk) => void (walk.clipping = true)],
  ["W*", (walk) => void (walk.clipping = true)],
  ["n", end],
  [
    "Do",
    (walk, operands) => {
      const image = nameOf(operands.at(-1));
      if (walk.placed || image === undefined) return "it has several images";
      const { matrix, clips, states } = walk.state;
      walk.placed = { image, matrix, clips, states };
      return undefined;
    },
  ],
  ["BI", () => "it has an image in its content"],
  [
    "BDC",
    // Optional content may be hidden.
    (_, operands) => (nameOf(operands[0]) === "OC" ? "it has optional content" : undefined),
  ],
  ...["m", "l", "c", "v", "y", "h"].map((name) => [name, extend] as const),
  ...["S", "s", "f", "F", "f*", "B", "B*", "b", "b*", "sh"].map((name) => [name, paint] as const),
  ...["Tj", "TJ", "'", '"'].map((name) => [name, show] as const),
  ...["w", "J", "j", "M", "d", "ri", "i", "BT", "ET", "Tc", "Tw", "Tz", "TL", "Tf", "Ts"].map(
    (name) => [name, ignore] as const,
  ),
  ...["Td", "TD", "Tm", "T*", "CS", "cs", "SC", "SCN", "sc", "scn", "G", "g", "RG", "rg", "K", "k"].map(
    (name) => [name, ignore] as const,
  ),
  ...["BMC", "EMC", "MP", "DP", "BX", "EX"].map((name) => [name, ignore] as const),
]);

/** Returns the one image that a page shows, or why it does not show exactly one. */
export function findOnlyImage(content: Uint8Array): Placed | Other {
  // A space ends the last operator.
  const ended = new Uint8Array(content.length + 1).fill(32, content.length);
  ended.set(content);
  const scanner = new Scanner(ended);
  const state: State = { matrix: identity, clips: [], states: [], mode: 0 };
  const walk: Walk = { state, saved: [], placed: undefined, path: [], clipping: false };
  let operands: PdfValue[] = [];
  let count = 0;
  for (let item = scanner.next(); item !== undefined; item = scanner.next()) {
    if (!isWord(item)) {
      operands.push(item);
      if (operands.length > maxOperands) return { reason: "it is damaged" };
      continue;
    }
    const operate = operators.get(item.word);
    if (!operate || ++count > maxOperators) return { reason: "it has operators that are not known" };
    const reason = operate(walk, operands);
    if (reason !== undefined) return { reason };
    operands = [];
  }
  return walk.placed ?? { reason: "it has no image" };
}
