// Interface of wasm/jpeg/assembly/transcode.ts.

/** Exports of the module "jpeg-transcode"; see wasm/jpeg/transcode.md. */
export interface TranscodeModule {
  readonly memory: WebAssembly.Memory;
  readonly damages: WebAssembly.Global;
  begin(components: number, mcusWide: number, outputBytes: number): number;
  component(
    index: number,
    across: number,
    down: number,
    wide: number,
    high: number,
    step: number,
    codes: number,
  ): number;
  tableIn(): number;
  codesAt(): number;
  table(largest: number): number;
  scan(kind: number, first: number, last: number, low: number, interval: number, window: number): number;
  scanComponent(scan: number, index: number, dc: number, ac: number, interleaved: number): number;
  feedAt(scan: number): number;
  feedRoom(scan: number): number;
  fed(scan: number, bytes: number, last: number): void;
  startBand(band: number): void;
  advance(scan: number): number;
  encode(): number;
  outputAt(): number;
  outputLength(): number;
  outputTaken(): void;
  endOutput(): void;
  shrink(component: number): number;
  index(step: number, head: number): number;
}
