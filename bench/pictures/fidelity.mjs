// Makes the pictures of docs/concepts/fidelity.md: masters drawn here or cut from the sample, and responses
// of the built product.
//
//   npm run build && node bench/pictures/fidelity.mjs [FOLDER]        default: docs/pictures

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import sharp from "sharp";
import { bytesAt, withBuilt } from "../../scripts/built-server.mjs";

const target = process.argv[2] ?? "docs/pictures";
const sample = "static/sample/sample.jpg";
const mostBytes = 30_000;

/** Each picture by name, with its setting, master and request. */
const pictures = {
  "profile-dropped.jpg": ["", "dropped.png", "full/max/0/default.jpg"],
  "profile-used.jpg": ["", "wide.png", "full/max/0/default.jpg"],
  "light-off.png": ["", "board.png", "full/240,/0/default.png"],
  "light-on.png": ["linear: on", "board.png", "full/240,/0/default.png"],
  "sharpen-off.jpg": ["", "sample.jpg", "1200,400,1440,1080/220,/0/default.jpg"],
  "sharpen-on.jpg": ["sharpen: on", "sample.jpg", "1200,400,1440,1080/220,/0/default.jpg"],
  "alpha.jpg": ["background: '#e8e4da'", "disc.png", "full/240,/0/default.jpg"],
  "rotation.jpg": ["", "sample.jpg", "1200,400,1440,1080/220,/7/default.jpg"],
};

/** Pixels of a drawing, a function from a place to its samples. */
function drawn(width, height, bands, colour) {
  const data = new Uint8Array(width * height * bands);
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++) data.set(colour(x, y), (y * width + x) * bands);
  return sharp(data, { raw: { width, height, channels: bands } })
    .png()
    .toBuffer();
}

const part = sharp(sample).extract({ left: 1200, top: 400, width: 1440, height: 1080 }).resize(240);
const wide = await part.withIccProfile("p3").png().toBuffer();
const masters = {
  "sample.jpg": await sharp(sample).jpeg({ quality: 95 }).toBuffer(),
  "wide.png": wide,
  "dropped.png": await sharp(wide, { ignoreIcc: true }).png().toBuffer(),
  // a board of black and white pixels next to gray of the same light
  "board.png": await drawn(960, 480, 3, (x, y) => {
    const level = x < 480 ? ((x + y) & 1) * 255 : 188;
    return [level, level, level];
  }),
  // transparent pixels are green, which must not be visible
  "disc.png": await drawn(960, 720, 4, (x, y) =>
    Math.hypot(x - 480, y - 360) < 300 ? [190, 60, 40, 255] : [0, 255, 0, 0],
  ),
};

const folder = mkdtempSync(join(tmpdir(), "fidelity-"));
try {
  mkdirSync(target, { recursive: true });
  mkdirSync(join(folder, "masters"));
  for (const [name, bytes] of Object.entries(masters)) writeFileSync(join(folder, "masters", name), bytes);
  for (const setting of new Set(Object.values(pictures).map(([setting]) => setting))) {
    const wanted = Object.entries(pictures).filter(([, row]) => row[0] === setting);
    await withBuilt(folder, `image: { ${setting} }`, async (base) => {
      for (const [name, [, master, request]] of wanted) {
        const bytes = await bytesAt(`${base}/iiif/3/${master}/${request}`);
        if (bytes.length > mostBytes) throw new Error(`${name} has ${bytes.length} bytes, over ${mostBytes}`);
        writeFileSync(join(target, name), bytes);
        console.log(`${name}: ${bytes.length} bytes`);
      }
    });
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
