import type { Leaf } from "../src/config/walk.ts";

export declare function keyTable(leaves: readonly Leaf[]): string;
