// The interface of wasm/jpeg/assembly/encode.ts.

/** Exports of the module; wasm/jpeg/README.md says what they do. */
export interface EncoderModule {
  readonly memory: WebAssembly.Memory;
  quantisationAt(): number;
  codesAt(): number;
  countsAt(): number;
  inputAt(): number;
  outputAt(): number;
  outputLength(): number;
  useQuantisation(): void;
  useCodes(): void;
  begin(
    width: number,
    height: number,
    across: number,
    down: number,
    components: number,
    inputBytes: number,
    tokenBytes: number,
  ): number;
  restart(): void;
  takePixels(pitch: number): number;
  takePlane(component: number, pitch: number, full: number): number;
  codeStrip(): number;
  countStrip(): number;
  codeTokens(): number;
  finish(): void;
  taken(): void;
}

/** Its memory as it is now; growing replaces it. */
export const bytesOf = (wasm: EncoderModule) => new Uint8Array(wasm.memory.buffer);

/** The module takes what was checked here; anything else is a bug. */
export function accept(taken: number): void {
  if (taken !== 1) throw new Error("jpeg-encode refused rows");
}
