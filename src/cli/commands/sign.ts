// `smalti sign`: makes signed links.

import { type Platform, silentLog, version } from "../../base/index.ts";
import { encodeIdentifier, mainPrefix } from "../../iiif/index.ts";
import {
  adviceIfMissing,
  type Config,
  createService,
  type LinkScope,
  linkParameter,
  signedBase,
} from "../../server/index.ts";
import { command, configFlag, type Result } from "./command.ts";
import { CommandError, inWords, UsageError } from "./command-error.ts";
import { readConfig } from "./read-config.ts";

const usualDays = 90;
const dayMs = 86_400_000;

export const sign = command({
  name: "sign",
  summary: "make a link that opens an image without a login, until a day and up to a size",
  more: "anyone who has the link may use it and pass it on; removing its key from signed_links ends it",
  examples: [
    "smalti sign maps/sheet-1.tif -config smalti.yaml --max 1200 --days 30",
    "smalti sign --prefix letters/1890/ -config smalti.yaml",
  ],
  json: "the addresses, the token, its key, size and end",
  flags: {
    max: {
      kind: "number",
      value: "PIXELS",
      from: 1,
      to: 1_000_000,
      text: "largest width and height of the whole image, and its detail; if omitted, that of the image",
    },
    days: {
      kind: "number",
      value: "N",
      from: 1,
      to: 3650,
      text: `how long the link is valid; if omitted ${usualDays}`,
    },
    prefix: {
      kind: "text",
      value: "P",
      text: "all images whose identifiers begin with this, which ends in /, instead of one",
    },
    key: { kind: "text", value: "ID", text: "the key to sign with; if omitted, the first of signed_links" },
    config: configFlag,
  },
  operands: [{ name: "IDENTIFIER", optional: true }],
  async run({ platform, flags, operands: [identifier] }) {
    const { prefix } = flags;
    if ((identifier === undefined) === (prefix === undefined))
      throw new UsageError("sign needs an identifier or --prefix P; see smalti sign --help");
    if (prefix !== undefined && !/[^/]\/$/.test(prefix))
      throw new UsageError(
        "--prefix expects the beginning of identifiers up to a /, such as letters/1890/, so that it opens no other folder",
      );
    const scope: LinkScope = prefix === undefined ? { identifier: identifier as string } : { prefix };
    const { config } = await readConfig(platform, { file: flags.config });
    return inWords(makeLink(config, platform, scope, flags));
  },
});

interface Wanted {
  readonly max: number | undefined;
  readonly days: number | undefined;
  readonly key: string | undefined;
}

async function makeLink(
  config: Config,
  platform: Platform,
  scope: LinkScope,
  { max, days = usualDays, key }: Wanted,
): Promise<Result> {
  const { keys } = config.signed_links;
  const keyId = (key === undefined ? keys[0] : keys.find(({ id }) => id === key))?.id;
  if (keyId === undefined)
    throw new CommandError(
      keys.length === 0
        ? "the configuration has no keys to sign with; add one to signed_links.keys"
        : `signed_links has no key ${key}; it has ${keys.map(({ id }) => id).join(", ")}`,
    );
  const service = await createService(config, platform, silentLog, version);
  try {
    if ("identifier" in scope) {
      const advice = await adviceIfMissing(service.images, scope.identifier);
      if (advice !== undefined)
        throw new CommandError(`no source has an image ${scope.identifier}. ${advice}`);
    }
    const expires = Math.floor((Date.now() + days * dayMs) / 1000);
    const link = { keyId, maxSize: max ?? 0, expires };
    const token = await service.links()?.sign(link, scope);
    if (token === undefined) throw new CommandError("the keys to sign with cannot be read");
    return resultOf(config.base_url.replace(/\/+$/, ""), token, link, scope);
  } finally {
    await service.close();
  }
}

function resultOf(
  base: string,
  token: string,
  { keyId, maxSize, expires }: { readonly keyId: string; readonly maxSize: number; readonly expires: number },
  scope: LinkScope,
): Result {
  const images = mainPrefix[3];
  const name = "identifier" in scope ? encodeIdentifier(scope.identifier) : "{identifier}";
  const information = `${signedBase(base, token)}${images}${name}/info.json`;
  const image = `${base}${images}${name}/full/max/0/default.jpg?${linkParameter}=${token}`;
  const end = new Date(expires * 1000).toISOString();
  const lines = [
    `for viewers:  ${information}`,
    `one image:    ${image}`,
    `valid until ${end.slice(0, 10)}, ${maxSize > 0 ? `up to ${maxSize} pixels a side` : "at full size"}, by the key ${keyId}`,
    ...("prefix" in scope
      ? [`{identifier} is any that begins with ${scope.prefix}, encoded: %2F for each /`]
      : []),
    ...(base === "" ? ["base_url is not set, so put the public URL of the service before each address"] : []),
  ];
  return {
    text: `${lines.join("\n")}\n`,
    data: {
      information,
      image,
      token,
      key: keyId,
      max: maxSize > 0 ? maxSize : null,
      expires: end,
      ...("prefix" in scope ? { prefix: scope.prefix } : { identifier: scope.identifier }),
    },
  };
}
