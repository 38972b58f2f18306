// Interface of wasm/jpeg/assembly/encode.ts.

/** Exports of the module; see wasm/jpeg/README.md. */
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

/** Returns the module's current memory, which growing replaces. */
export const bytesOf = (wasm: EncoderModule) => new Uint8Array(wasm.memory.buffer);

/** Throws if the module refused rows. It accepts all validated input, so a refusal is a bug. */
export function accept(taken: number): void {
  if (taken !== 1) throw new Error("jpeg-encode refused rows");
}
