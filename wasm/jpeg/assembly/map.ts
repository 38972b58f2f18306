// Memory map of the decoder: fixed areas, and the fields that the host fills in before a run (see
// ../decode.md).

/** Fields of the run, 4 bytes each unless said otherwise. */
export const STATE: usize = 0x1000;
export const RAW_END: usize = STATE; // pointer behind the file's bytes in the window
export const FINAL: usize = STATE + 4; // 1: the file ends with the window
export const POSITION: usize = STATE + 8; // pointer of the next byte to read, which is partly read if BIT > 0
export const BIT: usize = STATE + 12; // 0 to 7 bits of that byte are read
export const SPENT: usize = STATE + 16; // 1: data ran out in this restart interval, the rest of it is gray
export const ROW: usize = STATE + 20; // next MCU
export const COLUMN: usize = STATE + 24;
export const STOP_ROW: usize = STATE + 28; // the run ends before this row
export const END_COLUMN: usize = STATE + 32; // rows end before this column
export const INTERVAL: usize = STATE + 36; // MCUs in a restart interval, 0: none
export const TO_GO: usize = STATE + 40; // MCUs up to the next restart
export const NEXT_RESTART: usize = STATE + 44; // number of the next restart marker, 0 to 7
export const COMPONENT_COUNT: usize = STATE + 48; // of the scan
export const BLOCK_COUNT: usize = STATE + 52; // of an MCU
export const STEP: usize = STATE + 56; // an entry at column 0 and at every STEP * k - 1
export const OUTPUT: usize = STATE + 60; // destination of the next entry or byte of output; advances
export const FROM_COLUMN: usize = STATE + 64; // columns before it are passed over
export const DAMAGE: usize = STATE + 68; // number of times that data ran out, bits were no code, or a restart marker was missing
export const WINDOW_OFFSET: usize = STATE + 72; // u64: file offset of the window's first byte
export const HELD: usize = STATE + 80; // u64: bits of a crop not yet written, the last one lowest
export const HELD_COUNT: usize = STATE + 88; // how many: 0 to 31
export const FRESH: usize = STATE + 92; // 1: the next MCU of a crop follows a jump, its DC differences are coded again

/** Blocks of an MCU in coding order, at most 10. */
export const BLOCKS: usize = 0x1100;
export const BLOCK_SIZE: usize = 64;
export const B_COMPONENT: usize = 0; // pointer
export const B_DC: usize = 4; // pointers of Huffman tables
export const B_AC: usize = 8;
export const B_X: usize = 12; // place in the MCU
export const B_Y: usize = 16;
/** Filled in at the start of each MCU row, from the component: */
export const B_ROW: usize = 20; // pointer of the sample at block x = 0 of the row
export const B_ACROSS: usize = 24;
export const B_FIRST: usize = 28; // x of the block in column 0, counted from C_LEFT
export const B_COLUMNS: usize = 32; // 0 in rows that are not wanted
export const B_EDGE: usize = 36;
export const B_STRIDE: usize = 40;
export const B_LIMIT: usize = 44;
export const B_QUANT: usize = 48;
export const B_ORDER: usize = 52; // pointer of the places of coefficients
export const B_MEANS: usize = 56; // of a run that records access points: pointer of the sample at 1/8 at block x = 0 of the row

/** Components of the scan, at most 4. */
export const COMPONENTS: usize = 0x1400;
export const COMPONENT_SIZE: usize = 128;
export const C_PREDICTOR: usize = 0; // i32, DC of the block before
export const C_ACROSS: usize = 4; // blocks of an MCU
export const C_DOWN: usize = 8;
export const C_QUANT: usize = 12; // pointer
export const C_PLANE: usize = 16; // pointer of the sample at block (C_LEFT, C_TOP)
export const C_STRIDE: usize = 20; // bytes
export const C_EDGE: usize = 24; // samples on a block's side: 8, 4, 2 or 1; 0 if a run that records access points makes none
export const C_LEFT: usize = 28; // blocks of the whole component that are wanted
export const C_COLUMNS: usize = 32;
export const C_TOP: usize = 36;
export const C_ROWS: usize = 40;
export const C_LIMIT: usize = 44; // last coefficient in zigzag order that a block of this size needs
export const C_SAVED: usize = 48; // predictor at the start of an MCU that may have to be read again
export const C_CROP: usize = 52; // DC of the last block written to a crop
export const C_CROP_SAVED: usize = 56;
export const C_MEANS: usize = 60; // of a run that records access points: pointer of the sample at 1/8 at block (0, C_TOP)
export const C_MEANS_STRIDE: usize = 64;

/**
 * 64 i16 in natural order, or the lowest 16 or 4, zero between blocks; followed by 64 u16 that are never
 * read.
 */
export const COEFFICIENTS: usize = 0x1600;
export const WORK: usize = 0x1700;

/** Tables derived from a file's tables; the host keeps a copy of all of it per file. */
export const QUANT: usize = 0x2000; // 4 of 64 u16 in natural order
export const DC_TABLES: usize = 0x2200;
export const AC_TABLES: usize = 0xd200;
/**
 * Within a Huffman table: by 10 bits, the rest of the canonical code, then by more bits with what follows
 * codes.
 */
export const T_LONG: usize = 0x800;
export const T_OFFSETS: usize = T_LONG + 72; // i32 by length
export const T_VALUES: usize = T_LONG + 144; // up to 256 symbols
export const T_CODES: usize = T_LONG + 400; // DC only: u32 by symbol 0 to 15, code << 8 | length, 0: no code
export const T_DC: usize = 0xc00; // DC only: u32 by 11 bits, the difference with the code
export const T_SKIP: usize = 0xc00; // AC only: u16 by 13 bits, over several symbols
export const T_FAST: usize = 0x4c00; // AC only: u64 by 11 bits, one or two values with their codes

export const SCRATCH: usize = 0x40400; // entropy-coded bytes without stuffing
export const SCRATCH_ROOM: usize = 0x10000;
export const REMOVED: usize = 0x51400; // pairs of u32: place in the scratch area, bytes removed up to there
export const RAW: usize = 0xd1400; // window on the file

export const SKIP_BITS: u64 = 13;
export const FAST_BITS: u64 = 11;
/** The most that a block takes: 64 codes of at most 16 + 15 bits. */
export const BLOCK_BYTES: usize = 248;
/** More than any MCU takes, of at most 10 blocks. */
export const MCU_BYTES: usize = 2560;

/** Results of a run. */
export const REACHED: i32 = 0; // the row to stop at
export const HUNGRY: i32 = 1; // more bytes are needed, from POSITION on
export const EXHAUSTED: i32 = 2; // no more data in the scan: the rest is gray
export const IMPOSSIBLE: i32 = 3; // a crop that needs a code that the table lacks, or damaged data
