// Memory map of the recoder: below ARENA of jpeg/assembly/turn/map.ts its tables for reading, from there on
// the areas of entropy coding, then what is laid out for each picture.

import { ARENA as READING_END } from "../../jpeg/assembly/turn/map";

/**
 * Contexts of tokens: luma and chroma, each by predicted numbers of coefficients and by coefficients before.
 */
export const BLOCK_CONTEXTS: u32 = 2;
export const COUNT_CONTEXTS: u32 = 37;
export const COEFFICIENT_CONTEXTS: u32 = 458;
export const CONTEXTS: usize = 990;

/** Symbols of every alphabet; histograms are of u32. */
export const SYMBOLS: usize = 64;
export const HISTOGRAM: usize = 4 * SYMBOLS;

/** Histograms by context, and their totals, u32. */
export const COUNTS: usize = READING_END;
export const TOTALS: usize = COUNTS + CONTEXTS * HISTOGRAM;
/** Bits that each context's tokens take with a code of their own, f32. */
export const COSTS: usize = TOTALS + 4 * CONTEXTS;
/** Bits that they take more in the nearest cluster, f32. */
export const DISTANCES: usize = COSTS + 4 * CONTEXTS;
/** Contexts that have tokens, u16. */
export const USED: usize = DISTANCES + 4 * CONTEXTS;
/** Cluster of each context, u8. */
export const CLUSTER_OF: usize = USED + 2 * CONTEXTS + 4;

/** Codes of clusters, and one more for streams of one context. */
export const MOST_CLUSTERS: usize = 32;
export const CODES: usize = (CLUSTER_OF + CONTEXTS + 63) & ~63;
export const CODE: usize = 0x2600;
export const K_COUNTS: usize = 0; // histogram, u32
export const K_SHARES: usize = 0x100; // frequencies of 4096, u32
export const K_STARTS: usize = 0x200; // first entry of a symbol in K_INDICES, u32
export const K_RECIPROCALS: usize = 0x300; // 2^44 / frequency rounded up, u64
export const K_LOGS: usize = 0x500; // n log2 n of the counts, f32
export const K_INDICES: usize = 0x600; // state below 4096 by symbol and remainder, u16
export const ONLY_CODE: usize = CODES + MOST_CLUSTERS * CODE;

/** log2 of 4096 to 8191, f32. */
export const LOGARITHMS: usize = CODES + (MOST_CLUSTERS + 1) * CODE;
/** Numbers of coefficients in the blocks of a row of a group, three times 32 u8 with one before. */
export const NUMBERS: usize = LOGARITHMS + 4 * 4096;
/** Scratch of alias tables: cutoff, symbol, offset, two stacks, u32 each. */
export const ALIASES: usize = NUMBERS + 256;

/** Quantisation tables of the components, 64 u16 each in the order of the codestream. */
export const QUANTISATION: usize = ALIASES + 5 * HISTOGRAM;
/** Bytes of each section, u32: {@link MOST_SECTIONS}. */
export const LENGTHS: usize = QUANTISATION + 3 * 128;
export const MOST_SECTIONS: usize = 4096;
/** Where each group's tokens end, u32. */
export const GROUP_ENDS: usize = LENGTHS + 4 * MOST_SECTIONS;
/** What each component's blocks are: pointer of the first note, blocks in a row, shifts against luma. */
export const PLANES: usize = GROUP_ENDS + 4 * MOST_SECTIONS;
export const PLANE: usize = 16;
export const P_NOTES: usize = 0;
export const P_WIDTH: usize = 4;
export const P_ACROSS: usize = 8; // shift of x
export const P_DOWN: usize = 12; // shift of y

export const ARENA: usize = (PLANES + 4 * PLANE + 0xffff) & ~0xffff;

// the areas above are used before anything is laid out
memory.grow(((ARENA >> 16) as i32) - memory.size());
