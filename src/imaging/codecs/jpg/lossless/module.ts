// Interface of wasm/jpeg/assembly/turn.ts.

/** Exports of the module "jpeg-turn"; wasm/jpeg/turn.md documents the calls. */
export interface TurnModule {
  readonly memory: WebAssembly.Memory;
  definitionAt(): number;
  codesAt(): number;
  countsAt(): number;
  inputAt(): number;
  outputAt(): number;
  outputLength(): number;
  taken(): void;
  readDcTable(index: number): number;
  readAcTable(index: number): number;
  useCodes(): void;
  describe(component: number, across: number, down: number, dc: number, ac: number, out: number): void;
  begin(
    columns: number,
    rows: number,
    components: number,
    swap: number,
    flipX: number,
    flipY: number,
    bytes: number,
  ): number;
  take(length: number): number;
  countSymbols(): number;
  recode(): number;
  copy(): number;
  codeStrip(): number;
  reserve(bytes: number): number;
  arenaAt(): number;
  transpose(from: number, step: number, columns: number, rows: number, to: number, toStep: number): void;
}
