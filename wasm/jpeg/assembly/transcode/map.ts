// Memory map of the transcoder: records of fixed size in linear memory, and the bump allocator that they come
// from.

/**
 * Four tables of 256 u32, code << 5 | length by symbol: DC luma, AC luma, DC chroma, AC chroma. Written by
 * the host.
 */
export const CODES: usize = 0x1000;
/**
 * A Huffman table on its way in: 16 counts, then up to 256 symbols, as in a DHT segment. Written by the host.
 */
export const TABLE_IN: usize = 0x2000;
/** Four component records. */
export const COMPONENTS: usize = 0x2200;
/** First byte of the areas that are laid out for each picture. */
export const PICTURE: usize = 0x3000;

export const MAX_COMPONENTS: i32 = 4;
/** Blocks that an interleaved MCU may have (B.2.3). */
export const MAX_BLOCKS: i32 = 10;

/** A component record: i32 or pointers at these offsets. */
export const COMPONENT_SIZE: usize = 64;
export const C_ACROSS: usize = 0; // blocks of an MCU
export const C_DOWN: usize = 4;
export const C_WIDE: usize = 8; // blocks that hold picture
export const C_HIGH: usize = 12;
export const C_STRIDE: usize = 16; // blocks from row to row of a band
export const C_COEFFICIENTS: usize = 20; // 64 i16 per block, zigzag order
export const C_MASKS: usize = 24; // u64 per block: bit k is set if coefficient k > 0 is not 0
export const C_DC_STEP: usize = 28; // quantisation value of coefficient 0
export const C_CODES: usize = 32; // tables of the component: CODES or CODES + 2048
export const C_PREDICTION: usize = 36; // DC value written last
export const C_DC_ROWS: usize = 40; // u8 samples of the band at 1/8

/** A scan record, followed by its block records. */
export const S_KIND: usize = 0;
export const S_START: usize = 4; // first and last coefficient of the band, Ss and Se
export const S_END: usize = 8;
export const S_LOW: usize = 12; // bit position, Al
export const S_INTERVAL: usize = 16; // MCUs between restarts, 0 without
export const S_TO_GO: usize = 20; // MCUs up to the next restart
export const S_RESTART: usize = 24; // number of the next restart marker
export const S_RUN: usize = 28; // blocks of an end-of-band run still to come
export const S_ROW: usize = 32; // MCU row within the band of MCU rows
export const S_COLUMN: usize = 36;
export const S_COLUMNS: usize = 40; // MCUs in a row
export const S_SINGLE: usize = 44; // the component record of a scan that is not interleaved, else 0
export const S_BLOCKS: usize = 48; // blocks of an MCU
export const S_PREDICTIONS: usize = 52; // four i32
export const S_RAW: usize = 68; // the window of file bytes: start, next byte, end, size
export const S_RAW_AT: usize = 72;
export const S_RAW_END: usize = 76;
export const S_RAW_SIZE: usize = 80;
export const S_LAST: usize = 84; // 1 when the window holds the last bytes of the scan
export const S_DATA: usize = 88; // bytes without stuffing
export const S_DATA_END: usize = 92; // pointer
export const S_POSITION: usize = 96; // bits from S_DATA
export const S_ENDED: usize = 100; // 1 when a marker or the end of the scan follows S_DATA_END
export const S_MARKER: usize = 104; // that marker, 0 for the end
export const S_DRY: usize = 108; // 1 when a decoder wanted more bits than there were
export const S_NEED: usize = 112; // bytes that one MCU can use
export const S_BLOCK_LIST: usize = 116;

/** A block record of a scan. */
export const BLOCK_SIZE: usize = 32;
export const B_COMPONENT: usize = 0;
export const B_OFFSET: usize = 4; // blocks from the MCU's first one
export const B_STEP: usize = 8; // blocks from MCU to MCU
export const B_PREDICTION: usize = 12; // pointer to the DC prediction
export const B_DC_TABLE: usize = 16;
export const B_AC_TABLE: usize = 20;

export const SCAN_SIZE: usize = S_BLOCK_LIST + BLOCK_SIZE * MAX_BLOCKS;

/** Bytes without stuffing that a scan holds at most. */
export const DATA_BYTES: usize = 8192;
/** More than one block can use: 33 bits for each of 64 coefficients, and the bits read ahead. */
export const BLOCK_BYTES: usize = 288;
/** Room for zeros behind the last byte. */
export const PADDING: usize = BLOCK_BYTES * MAX_BLOCKS + 32;

/** Room behind every buffer, for vectors. */
const SLACK: usize = 64;

let next: usize = PICTURE;

/** Forgets everything laid out so far. */
export function layOutAnew(): void {
  next = PICTURE;
}

/** Zeroed memory, aligned to 64 bytes; 0 when there is no more. */
export function layOut(bytes: usize): usize {
  const at = next;
  const end: u64 = (at as u64) + (bytes as u64) + SLACK;
  const have: u64 = (memory.size() as u64) << 16;
  if (end > have) {
    const pages = (end - have + 0xffff) >> 16;
    if (pages > 65536 || memory.grow(pages as i32) < 0) return 0;
  }
  next = ((end + 63) & ~63) as usize;
  memory.fill(at, 0, bytes);
  return at;
}

/** Number of violations of the specification in the data. */
export let damages: i32 = 0;

export function damaged(): void {
  if (damages < i32.MAX_VALUE) damages++;
}

export function forgetDamages(): void {
  damages = 0;
}
