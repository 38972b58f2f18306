// The tool get_region: an image or a part of it, at a size suitable for models.

import { z } from "zod";
import { ServiceError } from "../../../base/index.ts";
import { imageAddress, mainPrefix, parseImageRequest } from "../../../iiif/index.ts";
import { writingOf, writtenFormats } from "../../../imaging/index.ts";
import type { GrantedMaster } from "../../images/describe.ts";
import { withMaster } from "../../images/open.ts";
import { type Prepared, prepare, render } from "../../images/render.ts";
import type { Service } from "../../service.ts";
import { imageCallerOf, type RequestContext } from "../http/context.ts";
import { identifierInput } from "./image-info.ts";
import { onImage } from "./kinds.ts";
import type { CallToolResult, Tool } from "./protocol.ts";
import { denial } from "./results.ts";

/** Longest side of a derivative without a requested size: models reduce larger ones themselves. */
const usualSide = 1568;
/** Maximum pixels that may be requested. */
const maxPixels = 4 * 2 ** 20;
/** Maximum bytes of an image. Base64 adds a third. */
const maxBytes = 3 * 2 ** 20;
/**
 * A derivative without a requested size is reduced if it has more bytes: some clients reject results of a
 * megabyte.
 */
const usualBytes = 700_000;
/** Side below which no smaller image is tried. */
const leastSide = 256;

const modelFormats = Object.keys(writtenFormats).filter((name) => writtenFormats[name]?.forModels);

const input = z.strictObject({
  identifier: identifierInput,
  region: z
    .string()
    .max(100)
    .default("full")
    .describe(
      'Part of the image: "full", "square", "x,y,w,h" in pixels of the full image, counted from its upper left corner, or "pct:x,y,w,h" in percent.',
    ),
  size: z
    .string()
    .max(100)
    .optional()
    .describe(
      `Size of the picture: "w," or ",h" or "w,h" or "!w,h" (fits in w x h) in pixels, "pct:n", or "max". Leave it out for one of at most ${usualSide} pixels a side. A ^ in front allows enlarging.`,
    ),
  rotation: z
    .union([z.string().max(100), z.number()])
    .default("0")
    .describe('Degrees clockwise, such as 90; "!0" mirrors.'),
  quality: z.enum(["default", "color", "gray", "bitonal"]).default("default"),
  format: z.enum(modelFormats).default("jpg"),
});

type Input = z.output<typeof input>;

/** Returns the tool for a request. */
export function regionTool(c: RequestContext, service: Service): Tool<Input> {
  return {
    name: "get_region",
    title: "Look at an image",
    description: `Returns an image, or a region of it, as a picture. Without a size it fits in ${usualSide} x ${usualSide} pixels: to see small details ask for a small region. At most ${maxPixels} pixels.`,
    input,
    run: (input) =>
      onImage(c, service, input.identifier, (identifier, asked) => {
        // A link to a detail means that detail.
        const region = input.region === "full" ? (asked.region ?? "full") : input.region;
        const work = (master: GrantedMaster) => look(c, service, master, identifier, { ...input, region });
        return withMaster(service.images, imageCallerOf(c, identifier), work, (refused) =>
          denial(c, service, identifier, refused),
        );
      }),
  };
}

async function look(
  c: RequestContext,
  service: Service,
  master: GrantedMaster,
  identifier: string,
  { region, size, rotation, quality, format }: Input,
): Promise<CallToolResult> {
  const { signal } = c.req.raw;
  const prepareAt = (size: string) =>
    prepare(
      service.images,
      master,
      parseImageRequest(
        3,
        { region, size, rotation: String(rotation), file: `${quality}.${format}` },
        service.images.formats,
      ),
      signal,
    );
  let prepared = size === undefined ? await withinSide(prepareAt, usualSide) : await prepareAt(size);
  checkPixels(prepared);
  let { bytes, incomplete } = await render(service.images, master, prepared, signal);
  if (size === undefined) {
    for (let side = maxLength(prepared); bytes.length > usualBytes && side > leastSide; ) {
      // Bytes are roughly proportional to the area.
      side = Math.floor(side * Math.min(0.75, 0.9 * Math.sqrt(usualBytes / bytes.length)));
      prepared = await prepareAt(`!${side},${side}`);
      ({ bytes, incomplete } = await render(service.images, master, prepared, signal));
    }
  }
  if (bytes.length > maxBytes)
    throw new ServiceError(
      "too-large",
      `Expected a picture of at most ${maxBytes} bytes; this one has ${bytes.length}. Ask for a smaller size or region, or for jpg.`,
      { code: "picture_too_large" },
    );
  const { buffer, byteOffset, length } = bytes;
  return {
    content: [
      {
        type: "image",
        data: Buffer.from(buffer, byteOffset, length).toString("base64"),
        mimeType: writingOf(format).mediaType,
      },
      { type: "text", text: caption(c, identifier, prepared, incomplete) },
    ],
  };
}

/** Prepares the whole region if it fits in a square, or else as large as fits. */
async function withinSide(prepareAt: (size: string) => Promise<Prepared>, side: number): Promise<Prepared> {
  const whole = await prepareAt("max");
  return maxLength(whole) <= side ? whole : prepareAt(`!${side},${side}`);
}

const maxLength = ({ geometry: { size } }: Prepared) => Math.max(size.width, size.height);

function checkPixels({ geometry: { size } }: Prepared): void {
  if (size.width * size.height > maxPixels)
    throw new ServiceError(
      "too-large",
      `Expected a picture of at most ${maxPixels} pixels; ${size.width} x ${size.height} are more. Ask for a smaller size or region.`,
      { code: "picture_too_large" },
    );
}

/**
 * Describes the position of the derivative in the image, so that the next region can be named in pixels of
 * the image.
 */
function caption(c: RequestContext, identifier: string, prepared: Prepared, incomplete: boolean): string {
  const { region, size } = prepared.geometry;
  const address = `${imageAddress(c.get("base") + mainPrefix[3], identifier)}/${prepared.canonical}`;
  const damaged = incomplete ? " The file is damaged or still being written, so parts may be missing." : "";
  return `Region ${region.x},${region.y},${region.width},${region.height} in pixels of the full image, shown at ${size.width} x ${size.height} before rotation.${damaged} Address: ${address}`;
}
