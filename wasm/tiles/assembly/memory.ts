// Memory of the module: planes, pixels, coded bytes, and scratch space.

const most: i32 = 256;
/** Bands of rows that a plane is coded as. */
export const bands: i32 = 16;
/** Planes of a tile: four bands of 16 bits. */
const planes: i32 = 8;
/** Bytes from one row of a plane to the next: a row is preceded by 16 zeros, which are left of column 0. */
export const rowStride: usize = most + 16;

const planeBytes: usize = rowStride * most + 32;
const planesAt: usize = memory.data(<i32>planeBytes * planes + 32, 16) + 16;
/** Maximum bytes of a coded tile. */
export const codedRoom: i32 = planes * ((most * most) / 32 + most * most);
/** Coded bytes, and what a vector may read after them. */
export const codedAt: usize = memory.data(codedRoom + 32, 16);
/** Bytes of pixels: those of some tiles of a row. */
const pixelRoom: i32 = 4 * most * most * planes;
/** Pixels, and what a vector may read and write after them. */
export const pixelsAt: usize = memory.data(pixelRoom + 64, 16);
/** The previous row of all bands of a plane, a vector for each column. */
export const aboveAt: usize = memory.data(most * 16, 16);
/** 16 by 16 bytes: a block of samples, and its transposition in the making. */
export const blockAt: usize = memory.data(256, 16);
export const spareAt: usize = memory.data(256, 16);

/** Returns the address of the first sample of a plane. */
export const planeAt = (number: i32): usize => planesAt + <usize>number * planeBytes;

/** Address of the first sample of plane `number`, 0 to 7. */
export function plane(number: i32): usize {
  return planeAt(number);
}
/** Bytes from one row of a plane to the next. */
export function stride(): usize {
  return rowStride;
}
/** Address of the coded bytes, at most {@link codedBytes}. */
export function coded(): usize {
  return codedAt;
}
export function codedBytes(): i32 {
  return codedRoom;
}
/** Address of the pixels, at most {@link pixelBytes}. */
export function pixels(): usize {
  return pixelsAt;
}
export function pixelBytes(): i32 {
  return pixelRoom;
}
