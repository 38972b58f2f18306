// `smalti render FILE REQUEST -o OUT`: one derivative, as the server would send it.

import { type ImageRequest, parseImageRequest } from "../../iiif/index.ts";
import { writtenFormats } from "../../imaging/index.ts";
import {
  absolutePath,
  asOperator,
  operatorCaller,
  prepare,
  render,
  type Service,
  withMaster,
} from "../../server/index.ts";
import { command, configFlag } from "./command.ts";
import { CommandError, inWords, UsageError } from "./command-error.ts";
import { masterPath, pageFlag, withFile } from "./image-file.ts";
import { interruptOf } from "./interrupt.ts";
import { forceFlag, refuseExisting, writeNew } from "./new-file.ts";
import { refuseOtherExtension } from "./output-extension.ts";
import { readConfig } from "./read-config.ts";
import { print } from "./standard-output.ts";

export const renderCommand = command({
  name: "render",
  summary: "make one image of a file, as the server would send it",
  more: "REQUEST is region/size/rotation/quality.format of the Image API 3.0: full/!600,600/0/default.jpg",
  examples: [
    "smalti render scan.tif full/!600,600/0/default.jpg -o thumbnail.jpg",
    "smalti render scan.tif 1000,2000,512,512/max/0/gray.png -o - | feh -",
  ],
  json: "the name, size and length of what was written",
  flags: {
    output: {
      kind: "text",
      value: "OUT",
      short: "o",
      required: true,
      among: "file",
      text: "the file to write; - is the standard output",
    },
    page: pageFlag,
    force: forceFlag,
    config: configFlag,
  },
  operands: [{ name: "FILE", among: "file" }, { name: "REQUEST" }],
  async run({ platform, flags, operands: [path = "", request = ""], json }) {
    const { output, page, force, config: file } = flags;
    if (json && output === "-") throw new UsageError("--json and -o - both need the standard output");
    const toAbsolute = (name: string) => absolutePath(platform.cwd ?? "/", name);
    const to = toAbsolute(output);
    const asked = await inWords(Promise.resolve(request).then(requestOf));
    if (output !== "-") refuseOtherExtension(output, asked.format, request);
    if (output !== "-") {
      const master = await masterPath(platform.files, toAbsolute(path));
      const inputs = file === undefined ? [master] : [master, toAbsolute(file)];
      await refuseExisting(platform.files, { path: to, force, inputs });
    }
    const { config } = await readConfig(platform, { file });
    const signal = interruptOf(platform);
    const made = await inWords(
      withFile(config, platform, { path, page }, (service, identifier) =>
        derivativeOf(service, identifier, asked, signal),
      ),
    );
    if (made.incomplete)
      throw new CommandError(
        `${path} is damaged or ends early, so a part of the picture is missing; nothing was written`,
      );
    if (output === "-") await print(platform, made.bytes);
    else await writeNew(platform, to, made.bytes);
    const { canonical, size, bytes } = made;
    return { text: "", data: { output, request: canonical, ...size, bytes: bytes.length } };
  },
});

/** Throws UsageError if a text is no request, with what the grammar says. */
function requestOf(text: string): ImageRequest {
  const segments = text.replace(/^\//, "").split("/");
  const [region, size, rotation, file] = segments;
  if (segments.length !== 4 || !region || !size || !rotation || !file)
    throw new UsageError(
      `REQUEST expects region/size/rotation/quality.format, such as full/!600,600/0/default.jpg, received ${text}`,
    );
  try {
    return parseImageRequest(3, { region, size, rotation, file }, writtenFormats);
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
}

function derivativeOf({ images }: Service, identifier: string, request: ImageRequest, signal: AbortSignal) {
  return withMaster(asOperator(images), operatorCaller(identifier, signal), async (master) => {
    const prepared = await prepare(images, master, request, signal);
    const { bytes, incomplete } = await render(images, master, prepared, signal);
    return { bytes, incomplete, canonical: prepared.canonical, size: prepared.geometry.size };
  });
}
