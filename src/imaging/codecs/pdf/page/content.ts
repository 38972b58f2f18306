// Finds out from the operators of a page if it shows exactly one image (ISO 32000-2, annex A). What is
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

/** Why a page is not one image: a clause whose subject is the page. */
export interface Other {
  readonly reason: string;
}

/** What the operators of a page show. */
export interface Content {
  /** In the order in which they are painted. */
  readonly images: readonly Placed[];
  /** The page has visible text or drawings, or something that is not known. */
  readonly hasInk: boolean;
  /** Why the page is not exactly one image, if that shows. */
  readonly reason?: string;
}

/** Saved states and graphics states, operands of an operator, and images of a page. */
const [maxSaved, maxOperands, maxImages] = [64, 64, 1000];

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
  readonly images: Placed[];
  hasInk: boolean;
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

const noteUnknown = (walk: Walk): string => {
  walk.hasInk = true;
  return "it has operators that are not known";
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

const paint: Operate = (walk, operands) => {
  walk.hasInk = true;
  return end(walk, operands) ?? (walk.images.length > 0 ? "it has drawings above an image" : undefined);
};

const show: Operate = (walk) => {
  const { mode } = walk.state;
  if (mode === 3) return undefined;
  walk.hasInk = true;
  // Modes from 4 on clip what follows.
  if (mode > 3) return "it has a clip of text";
  return walk.images.length > 0 ? "it has text above an image" : undefined;
};

const operators: ReadonlyMap<string, Operate> = new Map<string, Operate>([
  [
    "q",
    (walk) => {
      if (walk.saved.length === maxSaved) return noteUnknown(walk);
      walk.saved.push({ ...walk.state });
      return undefined;
    },
  ],
  ["Q", (walk) => void (walk.state = walk.saved.pop() ?? walk.state)],
  [
    "cm",
    (walk, operands) => {
      const matrix = numbersOf(operands, 6);
      if (!matrix) return noteUnknown(walk);
      walk.state = { ...walk.state, matrix: multiply(matrix as unknown as Matrix, walk.state.matrix) };
      return undefined;
    },
  ],
  [
    "gs",
    (walk, operands) => {
      const name = nameOf(operands.at(-1));
      if (name === undefined || walk.state.states.length === maxSaved) return noteUnknown(walk);
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
        return noteUnknown(walk);
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
      const { matrix, clips, states } = walk.state;
      if (image === undefined || walk.images.length === maxImages) return noteUnknown(walk);
      walk.images.push({ image, matrix, clips, states });
      return walk.images.length > 1 ? "it has several images" : undefined;
    },
  ],
  ["BI", (walk) => noteUnknown(walk) && "it has an image in its content"],
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

/** Reads the operators of a page. */
export function readOperators(content: Uint8Array): Content {
  // A space ends the last operator.
  const ended = new Uint8Array(content.length + 1).fill(32, content.length);
  ended.set(content);
  const scanner = new Scanner(ended);
  const state: State = { matrix: identity, clips: [], states: [], mode: 0 };
  const walk: Walk = { state, saved: [], images: [], hasInk: false, path: [], clipping: false };
  let reason: string | undefined;
  let operands: PdfValue[] = [];
  for (let item = scanner.next(); item !== undefined; item = scanner.next()) {
    if (!isWord(item)) {
      operands.push(item);
      if (operands.length > maxOperands) operands.shift();
      continue;
    }
    const wrong = (operators.get(item.word) ?? noteUnknown)(walk, operands);
    reason ??= wrong;
    operands = [];
    // The data of an image in the content are no operators.
    if (item.word === "BI") break;
  }
  const { images, hasInk } = walk;
  return { images, hasInk, ...(reason !== undefined && { reason }) };
}
