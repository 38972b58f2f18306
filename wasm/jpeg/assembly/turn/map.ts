// Memory map of the turner below the areas that are laid out for each crop. CODES, COUNTS and STUFFING are at
// the addresses of encode/map.ts; the rest of it is not used.

/**
 * Two tables of AC codes, luma then chroma, of 512 u32 by run << 5 | sign << 4 | size: code with room for the
 * value bits << 6 | length of both. Values are added to them: negative ones (sign 1) as they are less than
 * the first larger size's.
 */
export const JOINED: usize = 0x5000;
export const JOINED_TABLE: usize = 2048;

/**
 * Destination of each coefficient, 16 bytes by its number in the stored block, with unused entries past the
 * end.
 */
export const SPOTS: usize = 0x6000;
export const SPOT: usize = 16;
export const S_BIT: usize = 0; // u64: bit by number in the turned block, 0 past the end
export const S_FLIP: usize = 8; // u16: change of a value
export const S_PLACE: usize = 10; // u8: bytes to its place in VALUES
export const S_CHANGE: usize = 12; // u32: high bits set if the sign changes

/** AC coefficients of the current block by number in the turned one, i16, as tables.ts has values. */
export const VALUES: usize = 0x7000;

/** Components of the crop, at most 4. */
export const COMPONENTS: usize = 0x7200;
export const COMPONENT_SIZE: usize = 64;
export const C_ACROSS: usize = 0; // blocks of an MCU, as stored
export const C_DOWN: usize = 4;
export const C_DC: usize = 8; // pointers of tables to read with
export const C_AC: usize = 12;
export const C_OUT: usize = 16; // table to write with: 0 luma, 1 chroma
export const C_PREDICTOR: usize = 20;
export const C_NOTES: usize = 24; // pointer: a note of each block in the turned order, as turn.ts has them
export const C_WIDTH: usize = 28; // blocks in a turned row
export const C_FIRST: usize = 32; // bytes from the first note to that of the stored first block
export const C_RIGHT: usize = 36; // from a block's note to that of its stored right neighbour, and below
export const C_BELOW: usize = 40;

/** Blocks of an MCU in coding order, at most 10: as stored, and as turned. */
export const READ_BLOCKS: usize = 0x7300;
export const WRITE_BLOCKS: usize = 0x7400;
export const BLOCK_SIZE: usize = 16;
export const B_COMPONENT: usize = 0; // pointer
export const B_NOTE: usize = 4; // pointer, moves on by B_STEP with each MCU
export const B_STEP: usize = 8;

/** 16 counts and up to 256 symbols of the table to be read next. */
export const DEFINITION: usize = 0x7600;

/** Tables for reading, four of each kind, as huffman-read.ts and tables.ts have them. */
export const DC_TABLES: usize = 0x10000;
export const DC_TABLE: usize = 0x2c00;
export const AC_TABLES: usize = 0x1c000;
export const AC_TABLE: usize = 0x10c00;

/** Notes of unstuffing, at most 8 bytes for each of a piece. */
export const REMOVED: usize = 0x60000;
export const PIECE: usize = 0x8000;

/** First byte of the areas that are laid out for each crop. */
export const ARENA: usize = REMOVED + 8 * PIECE;
