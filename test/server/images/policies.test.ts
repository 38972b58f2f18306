// The policies image.metadata and image.color over containers and kinds of masters, as ExifTool reads the
// responses (specification, "Metadata, colour and orientation policy").
// @module-tag slow

import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import sharp from "sharp";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { fixture } from "../../host.ts";
import {
  hasExifTool,
  inFolder,
  profilesOf,
  same,
  type Tags,
  tagsOf,
  withTags,
} from "../../imaging/metadata/exiftool.ts";
import { sampled } from "../../sampled.ts";
import { seeded } from "../../seeded.ts";
import { type Served, served } from "../../served.ts";
import { informationOf } from "./derivatives.ts";

const formats = ["jpg", "png", "tif", "webp", "jp2"] as const;
const policies = {
  "strip, srgb": "image: { metadata: strip }",
  "strip, respect-icc": "image: { metadata: strip, color: respect-icc }",
  "preserve, srgb": "image: { metadata: preserve, color: srgb }",
  "preserve, respect-icc": "image: { metadata: preserve }",
} as const;
type Policy = keyof typeof policies;

/**
 * A kind of master: `profile` if it embeds a matching one, `describesColour` if it describes its colours in
 * another way.
 */
interface Kind {
  readonly file: string;
  /** 4: colours that become sRGB in every policy. */
  readonly bands: 1 | 3 | 4;
  readonly profile?: true;
  readonly describesColour?: true;
  readonly tagged?: true;
  /** The only orientation used here; sides are swapped when it is made upright. */
  readonly orientation?: 6;
  /** Written into the fixture; "profile": that of Display P3. */
  readonly args?: readonly string[];
}

const kinds: Readonly<Record<string, Kind>> = {
  "JPEG with everything": { file: "jpg-icc-displayp3.jpg", bands: 3, profile: true, tagged: true },
  "PNG with everything": { file: "png-rgb8-iccp-adobergb.png", bands: 3, profile: true, tagged: true },
  "TIFF with everything": {
    file: "tif-strip-none-bigendian.tif",
    bands: 3,
    profile: true,
    tagged: true,
    args: ["profile"],
  },
  "WebP with everything": {
    file: "webp-lossy.webp",
    bands: 3,
    profile: true,
    tagged: true,
    args: ["profile"],
  },
  "JPEG 2000 with everything": { file: "jp2-icc-displayp3.jp2", bands: 3, profile: true, tagged: true },
  "GIF with a profile": { file: "gif-static.gif", bands: 3, profile: true, args: ["profile"] },
  "gray with a profile": { file: "jpg-gray-icc.jpg", bands: 1, profile: true, tagged: true },
  "CMYK with a profile": { file: "jpg-cmyk-icc.jpg", bands: 4, profile: true, tagged: true },
  "plain sRGB": { file: "jpg-baseline-420.jpg", bands: 3 },
  "plain gray": { file: "tif-gray8-minwhite.tif", bands: 1 },
  "a broken profile": { file: "badmeta-icc.jpg", bands: 3 },
  "an impossible orientation": { file: "bad-exif-orient-9.jpg", bands: 3 },
  "a JPEG on its side": { file: "jpg-orient-6.jpg", bands: 3, tagged: true, orientation: 6 },
  "a PNG on its side": { file: "png-exif-orient-6.png", bands: 3, orientation: 6 },
  "a TIFF on its side": { file: "tif-orient-6.tif", bands: 3, orientation: 6 },
  "a JPEG 2000 whose XMP alone turns it": {
    file: "jp2-tiled-128.jp2",
    bands: 3,
    orientation: 6,
    args: ["-n", "-XMP-tiff:Orientation=6"],
  },
  CIELAB: { file: "tif-lab-deflate.tif", bands: 4 },
  "gamma in PNG chunks": { file: "png-rgb8-gama-linear.png", bands: 3, describesColour: true },
};

/** Texts that appear literally in responses, including one of GPS. */
const secrets = {
  artist: "Ann Ypsilon",
  title: "Qwertzbild",
  headline: "Headline of it",
  datum: "GPS-DATUM-84",
} as const;
const written = [
  `-Artist=${secrets.artist}`,
  "-GPSLatitude=48.2",
  "-GPSLatitudeRef=N",
  `-GPSMapDatum=${secrets.datum}`,
  `-XMP-dc:Title=${secrets.title}`,
  `-IPTC:Headline=${secrets.headline}`,
];

const nameOf = (policy: Policy, kind: string, format: string) =>
  `${policy}.${kind}.${format}`.replaceAll(/[ ,]+/g, "-");

let folder: string;
const apps = {} as Record<Policy, Served>;
const answers: Record<string, Uint8Array> = {};
let masters: Record<string, Uint8Array>;
let tags: Record<string, Tags>;
let profiles: Record<string, Uint8Array | undefined>;
let own: Record<string, Uint8Array | undefined>;

beforeAll(async () => {
  if (!hasExifTool) return;
  folder = mkdtempSync(join(tmpdir(), "smalti-policies-"));
  masters = mastersWithTags();
  for (const [name, bytes] of Object.entries(masters)) writeFileSync(join(folder, name), bytes);
  for (const policy of Object.keys(policies) as Policy[]) {
    const source = `sources: [{ name: m, type: filesystem, root: ${JSON.stringify(folder)} }]`;
    apps[policy] = await served(`${policies[policy]}\n${source}`);
  }
  for (const [policy, kind, format, { file }] of rows)
    answers[nameOf(policy, kind, format)] = await answer(policy, file, "default", format);
  tags = tagsOf(answers);
  profiles = profilesOf(answers);
  own = profilesOf(masters);
});

afterAll(() => folder && rmSync(folder, { recursive: true, force: true }));

function mastersWithTags(): Record<string, Uint8Array> {
  const p3 = join(folder, "p3.icc");
  writeFileSync(p3, profilesOf({ "a.jpg": fixture("jpg-icc-displayp3.jpg") })["a.jpg"]!);
  const some = (wanted: (kind: Kind) => unknown) =>
    Object.fromEntries(
      Object.values(kinds)
        .filter(wanted)
        .map(({ file }) => [file, fixture(file)]),
    );
  const all = some(() => true);
  Object.assign(
    all,
    withTags(
      some((kind) => kind.tagged),
      written,
    ),
  );
  for (const { file, args } of Object.values(kinds).filter(({ args }) => args))
    Object.assign(
      all,
      withTags(
        { [file]: all[file]! },
        args!.map((arg) => (arg === "profile" ? `-icc_profile<=${p3}` : arg)),
      ),
    );
  return all;
}

const answer = (policy: Policy, file: string, quality: string, format: string) =>
  answerOf(policy, `${file}/full/90,/0/${quality}.${format}`);

async function answerOf(policy: Policy, request: string): Promise<Uint8Array> {
  const response = await apps[policy].get(`/iiif/3/${request}`);
  if (response.status !== 200) expect.fail(`${request} under ${policy}: ${await response.text()}`);
  return new Uint8Array(await response.arrayBuffer());
}

const sRgb = { "ICC-header:ColorSpaceData": "RGB ", "ICC_Profile:ProfileDescription": "sRGB" };
/** Everything that `strip` removes; TIFF keeps how it is stored in IFD0. */
const metadata =
  /^(ExifIFD|GPS|InteropIFD|IFD1|IPTC|Photoshop|XMP)|^IFD0:(Artist|Copyright|ImageDescription|Orientation|Make|Model|Software|ModifyDate)/;

const [everything, ...others] = Object.entries(kinds);
const drawn = [everything!, ...sampled("masters under policies", others, 5)];
const rows = Object.keys(policies).flatMap((policy) =>
  drawn.flatMap(([kind, facts]) => formats.map((format) => [policy as Policy, kind, format, facts] as const)),
);

describe.skipIf(!hasExifTool)("a derivative", () => {
  test.each(rows)(
    "under %s of %s as %s embeds exactly what the policy says",
    (policy, kind, format, facts) => {
      const name = nameOf(policy, kind, format);
      const found = tags[name]!;
      expect(found).not.toHaveProperty("ExifTool:Warning");
      expect(found).not.toHaveProperty("ExifTool:Error");

      const preserved = policy.startsWith("preserve");
      const carried = Object.keys(found).filter((tag) => metadata.test(tag));
      if (!preserved) {
        expect(carried).toEqual([]);
        const raw = Buffer.from(answers[name]!);
        for (const secret of Object.values(secrets)) expect(raw.includes(secret)).toBe(false);
      } else if (facts.tagged) {
        expect(found).toMatchObject({
          "IFD0:Artist": secrets.artist,
          "GPS:GPSLatitude": 48.2,
          "GPS:GPSMapDatum": secrets.datum,
          "XMP-dc:Title": secrets.title,
          // WebP has no place for IPTC, and ExifTool writes none into one
          ...(format !== "webp" && !facts.file.endsWith("webp") && { "IPTC:Headline": secrets.headline }),
        });
      }
      expect(found["IFD0:Orientation"] ?? 1).toBe(preserved ? (facts.orientation ?? 1) : 1);

      const respected = policy.endsWith("respect-icc") && facts.bands !== 4;
      const gray = facts.bands === 1;
      if (gray ? respected && facts.profile && format !== "webp" : respected && facts.profile)
        expect(same(profiles[name], own[facts.file])).toBe(true);
      else if (!gray && respected && facts.describesColour)
        expect(found).toMatchObject({
          "ICC-header:ColorSpaceData": "RGB ",
          "ICC-header:ProfileFileSignature": "acsp",
        });
      else if (gray || respected) expect(profiles[name]).toBeUndefined();
      else {
        expect(found).toMatchObject(sRgb);
        expect(profiles[name]!.length).toBeLessThanOrEqual(500);
      }
    },
  );

  test.skipIf(!python)("has the same pixels as without metadata, and its blocks, according to Pillow", () => {
    const unturned = drawn.filter(([, { orientation }]) => !orientation);
    const pairs = unturned.flatMap(([kind]) =>
      formats.map(
        (format) => [nameOf("strip, srgb", kind, format), nameOf("preserve, srgb", kind, format)] as const,
      ),
    );
    const seen = openedByPillow(Object.fromEntries(pairs.flat().map((name) => [name, answers[name]!])));
    for (const [bare, full] of pairs)
      expect([full, seen[full]]).toEqual([full, { ...seen[bare], artist: seen[full]!.artist }]);
    expect(seen[nameOf("preserve, srgb", "JPEG with everything", "jpg")]).toMatchObject({
      artist: secrets.artist,
      profile: "sRGB",
    });
  });

  test.skipIf(!magick)("opens in ImageMagick without a warning", () => {
    // its reader of WebP warns at every XMP packet, ExifTool's own among them
    const names = Object.keys(answers).filter((name) => !/^preserve.*webp$/.test(name));
    inFolder(answers, (at) => {
      const told = spawnSync("identify", ["-regard-warnings", ...names], { cwd: at, encoding: "utf8" });
      expect(told.stderr).toBe("");
      expect(told.stdout.trimEnd().split("\n").length).toBe(names.length);
    });
  });

  test.each([
    ["strip, respect-icc", "jpg-icc-displayp3.jpg", "sP3C"],
    ["strip, srgb", "jpg-orient-6.jpg", "sRGB"],
  ] as const)(
    "under %s that is cropped from the bits of %s embeds its profile and nothing else",
    async (policy, file, name) => {
      const part = await answerOf(policy, `${file}/16,16,160,128/max/0/default.jpg`);
      for (const secret of Object.values(secrets)) expect(Buffer.from(part).includes(secret)).toBe(false);
      const found = tagsOf({ "a.jpg": part })["a.jpg"]!;
      expect(Object.keys(found).filter((tag) => metadata.test(tag))).toEqual([]);
      expect(found).toMatchObject({ "ICC_Profile:ProfileDescription": name });
    },
  );

  test("has a separate tag under each policy", async () => {
    const tagsOfAnswers = await Promise.all(
      Object.values(apps).map(async (app) =>
        (await app.get("/iiif/3/jpg-gray-icc.jpg/full/90,/0/default.jpg")).headers.get("ETag"),
      ),
    );
    expect(new Set(tagsOfAnswers).size).toBe(4);
  });
});

const python = ["python3", "/usr/bin/python3"].find(
  (path) => spawnSync(path, ["-c", "import PIL"]).status === 0,
);
const magick = spawnSync("identify", ["-version"]).status === 0;

interface Opened {
  readonly pixels: string;
  readonly artist: string | null;
  readonly profile: string | null;
}

function openedByPillow(files: Readonly<Record<string, Uint8Array>>): Record<string, Opened> {
  const script = `
import glob, hashlib, io, json, os, sys
from PIL import Image, ImageCms
def opened(path):
    image = Image.open(path)
    image.load()
    icc = image.info.get("icc_profile")
    name = icc and ImageCms.getProfileDescription(ImageCms.ImageCmsProfile(io.BytesIO(icc))).strip()
    told = image.getexif().get(315)
    return {"pixels": hashlib.sha256(image.tobytes()).hexdigest(), "artist": told, "profile": name}
print(json.dumps({os.path.basename(p): opened(p) for p in glob.glob(sys.argv[1] + "/*")}))`;
  return inFolder(files, (at) => {
    const told = spawnSync(python!, ["-c", script, at], { encoding: "utf8", maxBuffer: 2 ** 26 });
    expect(told.stderr).toBe("");
    return JSON.parse(told.stdout) as Record<string, Opened>;
  });
}

const pixels = (file: Uint8Array) => sharp(file, { ignoreIcc: true }).raw().toBuffer();

describe.skipIf(!hasExifTool)("a master on its side", () => {
  test.each(Object.values(kinds).filter(({ orientation }) => orientation))(
    "$file is upright under strip, and as stored under preserve: in info.json, regions and pixels",
    async ({ file }) => {
      const raw = file === "jp2-tiled-128.jp2" ? { width: 600, height: 400 } : { width: 200, height: 300 };
      const upright = { width: raw.height, height: raw.width };
      for (const [policy, app] of Object.entries(apps)) {
        const size = policy.startsWith("preserve") ? raw : upright;
        expect(await informationOf(app, 3, file)).toMatchObject(size);
        expect(await informationOf(app, 2, file)).toMatchObject(size);
        const response = await app.get(`/iiif/3/${file}/full/max/0/default.png`);
        expect(await sharp(await response.arrayBuffer()).metadata()).toMatchObject(size);
      }
      const corner = async (policy: Policy, region: string) => {
        const response = await apps[policy].get(`/iiif/3/${file}/${region}/max/0/default.png`);
        return pixels(new Uint8Array(await response.arrayBuffer()));
      };
      // Orientation 6: the first stored row is the right side of the visible image.
      const stored = await corner("preserve, srgb", "0,0,20,10");
      const seen = await corner("strip, srgb", `${upright.width - 10},0,10,20`);
      const turned = await sharp(stored, { raw: { width: 20, height: 10, channels: 3 } })
        .rotate(90)
        .raw()
        .toBuffer();
      expect(same(turned, seen)).toBe(true);
    },
  );
});

describe.skipIf(!hasExifTool)("a master whose blocks are damaged", () => {
  /** Beginnings of blocks. */
  const marks = [
    "Exif\0\0",
    "eXIf",
    "EXIF",
    "http://ns.adobe.com/xap/1.0/",
    "XML:com.adobe.xmp",
    "8BIM",
    "acsp",
  ];

  test.each(["jpg-icc-displayp3.jpg", "png-rgb8-iccp-adobergb.png", "webp-lossy.webp"])(
    "is still served (%s)",
    async (file) => {
      const below = seeded(file.length);
      const bytes = Buffer.from(masters[file]!);
      const starts = marks.map((mark) => bytes.indexOf(mark, 0, "latin1")).filter((at) => at > 0);
      expect(starts.length).toBeGreaterThan(1);
      for (let n = 0; n < 12; n++) {
        const damaged = Buffer.from(bytes);
        for (const at of starts) for (let k = 0; k < 6; k++) damaged[at + 8 + below(24)] = below(256);
        const name = `damaged-${n}-${file}`;
        writeFileSync(join(folder, name), damaged);
        for (const policy of ["preserve, respect-icc", "strip, srgb"] as const)
          expect((await answer(policy, name, "default", "jpg")).length).toBeGreaterThan(500);
      }
    },
  );
});

describe.skipIf(!hasExifTool)("colours that the profile of the master does not fit", () => {
  test.each(["gray", "bitonal"])("in quality %s embed no profile, whatever the policy", async (quality) => {
    const made: Record<string, Uint8Array> = {};
    for (const policy of Object.keys(policies) as Policy[])
      for (const file of ["jpg-icc-displayp3.jpg", "jpg-cmyk-icc.jpg"])
        made[nameOf(policy, file, "png")] = await answer(policy, file, quality, "png");
    expect(Object.values(profilesOf(made))).toEqual(Object.keys(made).map(() => undefined));
  });

  test("EXIF that names Adobe RGB names sRGB once the samples are", async () => {
    const [file] = Object.values(
      withTags({ "a.jpg": fixture("jpg-icc-displayp3.jpg") }, [
        "-n",
        "-ColorSpace=65535",
        "-InteropIndex=R03",
      ]),
    );
    writeFileSync(join(folder, "adobe.jpg"), file!);
    const found = tagsOf({
      "srgb.jpg": await answer("preserve, srgb", "adobe.jpg", "default", "jpg"),
      "kept.jpg": await answer("preserve, respect-icc", "adobe.jpg", "default", "jpg"),
    });
    expect(found["srgb.jpg"]).toMatchObject({ "ExifIFD:ColorSpace": 1, "InteropIFD:InteropIndex": "R98" });
    expect(found["kept.jpg"]).toMatchObject({
      "ExifIFD:ColorSpace": 65535,
      "InteropIFD:InteropIndex": "R03",
    });
  });
});
