export interface MatrixRow {
  readonly name: string;
  readonly width: number;
  readonly height: number;
  readonly args: readonly string[];
  readonly script?: string;
}
export const hasTools: boolean;
export function randomness(seed: number): () => number;
export function picture(width: number, height: number, seed?: number): Uint8Array;
export function encode(ppm: Uint8Array, args: readonly string[]): Uint8Array;
export function transcode(jpeg: Uint8Array, args: readonly string[]): Uint8Array;
export function decode(jpeg: Uint8Array, args?: readonly string[]): Uint8Array;
export function matrix(): Generator<MatrixRow>;
export function makeFile(row: MatrixRow, folder: string): Uint8Array;
