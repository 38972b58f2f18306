export interface Graph {
  readonly files: ReadonlySet<string>;
  readonly targets: ReadonlyMap<string, ReadonlySet<string>>;
}
export function readGraph(
  root: string,
  without?: readonly { readonly files: string; readonly names: string }[],
): Graph;
export function dependents(graph: Graph, changed: readonly string[]): ReadonlyMap<string, string>;
export function foldersOf(file: string): string[];
export function usersOf(targets: Graph["targets"]): ReadonlyMap<string, readonly string[]>;
