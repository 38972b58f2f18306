// The image that was probably meant by an identifier of which no source has an image.

import { splitPage } from "../../iiif/image/path.ts";
import { withDeadline } from "../../lib/concurrency/bounded-wait.ts";
import { nearest } from "../../lib/text/nearest.ts";
import type { Sources } from "../../sources/index.ts";

/** Milliseconds for the listing of the folder. */
const longestMs = 1000;
/** Characters that are compared, so that a large folder or long names take little time. */
const mostCharacters = 100_000;

/**
 * Returns the identifier of the image in the same folder whose name is most like that of `identifier`, and
 * not much different; undefined if there is none, or if the folder cannot be listed in time. Never rejects.
 */
export async function nearIdentifier(
  { resolve }: Pick<Sources, "resolve">,
  identifier: string,
): Promise<string | undefined> {
  const { source, key } = resolve(splitPage(identifier)?.identifier ?? identifier);
  const [, folder = "", name = ""] = /^(?:(.*)\/)?(.*)$/su.exec(key) ?? [];
  const end = performance.now() + longestMs;
  const list = async () => source.list?.(folder, () => performance.now() > end);
  const entries = await withDeadline(longestMs, list).catch(() => undefined);
  const images = (entries ?? [])
    .filter(({ kind }) => kind === "image")
    .slice(0, Math.ceil(mostCharacters / Math.max(1, name.length)));
  const near = nearName(
    name,
    images.map((image) => image.name),
  );
  return near && `${source.prefix}${folder === "" ? "" : `${folder}/`}${near}`;
}

/** Compares names without their extensions; of equal ones the same extension is nearer. */
function nearName(name: string, names: readonly string[]): string | undefined {
  const near = nearest(
    stemOf(name),
    names.map((each) => stemOf(each)),
  );
  const candidates = names.filter((each) => stemOf(each) === near);
  return candidates.find((each) => extensionOf(each) === extensionOf(name)) ?? candidates[0];
}

const extensionOf = (name: string): string => /\.\w+$/.exec(name)?.[0].toLowerCase() ?? "";

const stemOf = (name: string): string =>
  name
    .replace(/\.\w+$/, "")
    .normalize("NFC")
    .toLowerCase()
    .replaceAll("-", "_");
