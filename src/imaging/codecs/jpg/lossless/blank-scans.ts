// Metadata behind the first scan of a JPEG file (ITU-T T.81, annex B): between scans, and behind the image.

import { type BlankingWalk, blanking } from "../../blanking.ts";
import { marker } from "../markers/walk.ts";

/** Segments that decoding needs behind the first scan. */
const needed: ReadonlySet<number> = new Set([marker.sos, marker.dht, marker.dqt, marker.dri, marker.dnl]);

/** True for stuffed zeros and markers without a segment: RSTn, SOI, EOI, TEM. */
const isBare = (code: number) => code <= 0x01 || (code >= 0xd0 && code <= 0xd9);

/** Returns a function that clears the metadata behind the first scan of a file that passes by. */
export const blankScans = (): ReturnType<typeof blanking> => blanking(walkScans());

function* walkScans(): BlankingWalk {
  let isBehind = false;
  for (;;) {
    yield { past: 0xff };
    let code = 0xff;
    while (code === 0xff) code = yield { pass: 1 };
    if (code === marker.eoi) return;
    if (isBare(code)) continue;
    const length = (yield { pass: 1 }) * 256 + (yield { pass: 1 }) - 2;
    isBehind ||= code === marker.sos;
    yield isBehind && !needed.has(code) ? { clear: length } : { pass: length };
  }
}
