// Memory map of the encoder's data that does not depend on the picture. Static data of the compiler is below
// 4096.

/** Two tables of 64 u8: quantisation values in natural order, luma then chroma. Written by the host. */
export const QUANTISATION: usize = 0x1000;
/**
 * Four tables of 256 u32, code << 5 | length by symbol: DC luma, AC luma, DC chroma, AC chroma. Written by
 * the host.
 */
export const CODES: usize = 0x2000;
/** Four tables of 256 u32 in the same order: how often each symbol came. Read by the host. */
export const COUNTS: usize = 0x3000;
/** Two tables of four times 64 u16: reciprocal, correction, half a step and factor of the final shift. */
export const DIVISORS: usize = 0x4000;
/** 256 u32 by coefficient as a byte: size << 16 | value bits; 0 if the byte is saturated. */
export const VALUES: usize = 0x4400;
/** The current block: 64 quantised i16 in natural order, then the same as saturated bytes in zigzag order. */
export const BLOCK: usize = 0x4800;
export const ZIGZAG_BYTES: usize = 0x4880;
/** 16 bytes on their way through stuffing. */
export const STUFFING: usize = 0x48c0;
/**
 * Two tables of 16 x 256 u32, luma then chroma, by run and coefficient byte: code and value bits << 5 |
 * length.
 */
export const RUNS: usize = 0x8000;
/** First byte of the areas that are laid out for each picture. */
export const PICTURE: usize = 0x10000;

/** Bytes of one table in CODES and of one half of a component's pair. */
export const CODES_TABLE: usize = 1024;
export const DIVISORS_TABLE: usize = 512;
export const RUNS_TABLE: usize = 16384;
