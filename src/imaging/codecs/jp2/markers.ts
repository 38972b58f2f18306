// Codes of a codestream shared by headers, tiles and packets (ITU-T T.800 tables A.2 and A.16).

export const marker = {
  soc: 0xff4f,
  cap: 0xff50,
  siz: 0xff51,
  cod: 0xff52,
  coc: 0xff53,
  plt: 0xff58,
  qcd: 0xff5c,
  qcc: 0xff5d,
  rgn: 0xff5e,
  poc: 0xff5f,
  ppm: 0xff60,
  ppt: 0xff61,
  com: 0xff64,
  sot: 0xff90,
  sop: 0xff91,
  eph: 0xff92,
  sod: 0xff93,
  eoc: 0xffd9,
} as const;

/** Progressions by number. */
export const progressions = ["LRCP", "RLCP", "RPCL", "PCRL", "CPRL"] as const;
export type Progression = (typeof progressions)[number];

/** Styles of code-blocks: T.800 table A.19, and T.814 for the last two. */
export const blockStyles = {
  bypass: 1,
  terminatesAll: 4,
  causal: 8,
  highThroughput: 64,
  mixed: 128,
} as const;
