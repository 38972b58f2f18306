import type { Graph } from "./graph.mjs";

export interface Reached {
  readonly suites: readonly string[];
  readonly files: Readonly<Record<string, readonly string[]>>;
  readonly unitFiles: readonly string[];
  readonly all: boolean;
  readonly reasons: readonly string[];
  readonly changed: readonly string[];
}
export function suitesReached(options?: {
  readonly since?: string | undefined;
  readonly root?: string | undefined;
  readonly graph?: Graph;
  readonly changed?: readonly string[];
}): Reached;
