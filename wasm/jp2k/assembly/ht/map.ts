// The scratch memory of the HT block decoder: offsets into `work`, in bytes. Blocks have sides of at most
// 1024 and at most 4096 samples.

/** One u32 for each quad, and a zero behind each row of quads (see quads.ts): at most 6,560 bytes. */
export const RECORDS: usize = 0;
/**
 * One u32 for each quad of a row, and one more: the next row's exponents are predicted from them (see
 * samples.ts).
 */
export const BELOW: usize = 6592;
/** Unstuffed VLC bits; in refinement those of the MagRef pass. */
export const BACKWARD_BITS: usize = 8704;
/** Bytes of {@link BACKWARD_BITS} at most: all that a cleanup segment can have, without the padding. */
export const BACKWARD_ROOM: usize = 4096;
/** Unstuffed MagSgn bits; in refinement those of the SigProp pass. */
export const FORWARD_BITS: usize = 12864;
/** Bytes of {@link FORWARD_BITS} at most: 4096 samples of 31 bits, without the padding. */
export const FORWARD_ROOM: usize = 15872;
/** Two rows of samples, for blocks with an odd side. */
export const LINES: usize = 28800;
export const LINE_BYTES: usize = 4128;
/**
 * Significance after the cleanup pass: a byte for each column of a stripe, at most 3,312 bytes (see
 * refine.ts).
 */
export const SIGNIFICANT: usize = 37056;
/** Samples that the SigProp pass made significant, in the same layout. */
export const ADDED: usize = 40384;

export const WORK_BYTES: i32 = 43712;
