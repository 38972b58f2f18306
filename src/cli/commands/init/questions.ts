// The six questions of `smalti init`: how a reply is checked, and the settings that it becomes.

import {
  formatSize,
  isServiceUrl,
  type Platform,
  parseRange,
  parseSize,
  parseUrl,
} from "../../../base/index.ts";
import { mainPrefix } from "../../../iiif/index.ts";
import { absolutePath, costs, hashPassword, ownPathWarnings } from "../../../server/index.ts";
import { countWithUnit } from "../collection-text.ts";
import type { Setting } from "../yaml/commented-yaml.ts";
import { countImages } from "./count-images.ts";

/** What is known when a question is asked. */
export interface Known {
  readonly platform: Platform;
  /** Absolute path of the folder of the configuration, which its paths are relative to. */
  readonly folder: string;
  /** Settings of the earlier questions, by the name of the question. */
  readonly earlier: ReadonlyMap<string, Reply>;
  /** Asks once more, for a part of a reply. */
  readonly askFor: (question: string, hidden?: boolean) => Promise<string>;
}

/** A valid answer. */
export interface Reply {
  /** What was replied, in its usual form. */
  readonly answer: string;
  /** What was found out about it, for the person. */
  readonly note: string;
  readonly settings: readonly Setting[];
}

export interface Question {
  readonly name: string;
  readonly text: string;
  /** Further lines that explain what may be replied. */
  readonly hint?: string;
  /** The reply of Enter and of --yes. */
  usual(known: Known): Promise<string> | string;
  /** Throws an Error that says what was expected. */
  read(answer: string, known: Known): Promise<Reply>;
}

const home = "http://localhost:8080";

/** Returns the absolute path of a reply; ~ is the home folder. */
function pathOf(answer: string, { platform, folder }: Known): string {
  const own = platform.env.HOME ?? platform.env.USERPROFILE;
  const path = own !== undefined && /^~(?=[/\\]|$)/.test(answer) ? own + answer.slice(1) : answer;
  return absolutePath(folder, path);
}

const isWithin = (path: string, folder: string) =>
  path === folder || path.startsWith(folder.endsWith("/") ? folder : `${folder}/`);

const images: Question = {
  name: "images",
  text: "Which folder are the images in?",
  async usual(known) {
    for (const folder of [".", "./images"]) {
      const found = await countImages(known.platform, pathOf(folder, known)).catch(() => undefined);
      if (found && found.images > 0) return folder;
    }
    const stat = await known.platform.files?.stat(pathOf("./images", known)).catch(() => undefined);
    return stat?.kind === "directory" ? "./images" : ".";
  },
  async read(answer, known) {
    const path = pathOf(answer, known);
    const stat = await known.platform.files?.stat(path).catch(() => undefined);
    if (stat?.kind !== "directory")
      throw new Error(stat ? `${path} is not a folder; give the folder` : `there is no folder ${path}`);
    const { images, folders, more } = await countImages(known.platform, path);
    if (images === 0)
      throw new Error(
        `${path} has no images that smalti reads (JPEG, PNG, TIFF, JPEG 2000, WebP, GIF, PDF); give another folder`,
      );
    const count = `${more ? "more than " : ""}${countWithUnit(images, "image")}`;
    return {
      answer,
      note: folders > 1 ? `${count} in ${countWithUnit(folders, "folder")}` : count,
      settings: [
        {
          path: ["sources", 0, "name"],
          value: "files",
          comment: `The folder of the images. Below ${mainPrefix[3]} an image has its path in this folder as its name.`,
        },
        { path: ["sources", 0, "type"], value: "filesystem" },
        { path: ["sources", 0, "root"], value: answer.startsWith("~") ? path : answer },
      ],
    };
  },
};

const address: Question = {
  name: "address",
  text: "At which address will people find it?",
  hint: `such as https://images.example.org; ${home} is for this machine alone`,
  usual: () => home,
  async read(answer) {
    const url = parseUrl(answer);
    if (!url || !isServiceUrl(answer))
      throw new Error(
        `expected an address that begins with http:// or https://, such as https://images.example.org`,
      );
    const base = answer.replace(/\/+$/, "");
    const [doubt] = ownPathWarnings({ base_url: base, aliases: [] });
    return {
      answer: base,
      note: doubt ? `this address ${doubt.text}` : "",
      settings: [
        {
          path: ["base_url"],
          value: base,
          comment: "The address by which people reach the service, with which all ids begin.",
        },
      ],
    };
  },
};

const isLocal = ({ hostname }: URL) => /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(hostname);

const front: Question = {
  name: "front",
  text: "Is there a reverse proxy, such as nginx or Caddy, in front of it?",
  hint: "none; local: on this machine; or the addresses of the proxies, such as 10.0.0.5, 10.1.0.0/16",
  usual: ({ earlier }) => (isSecure(earlier) ? "local" : "none"),
  async read(answer, { earlier }) {
    const url = new URL(earlier.get("address")?.answer ?? home);
    const word = answer.toLowerCase();
    if (word === "none") {
      if (isSecure(earlier))
        throw new Error(
          "smalti does not speak TLS, so an https address needs a proxy; answer local, or begin again with an http address",
        );
      const port = url.port || (isLocal(url) ? "8080" : "80");
      return {
        answer: word,
        note: "",
        settings: [listens(isLocal(url) ? `127.0.0.1:${port}` : `:${port}`, "The address to listen on.")],
      };
    }
    const ranges =
      word === "local" ? ["127.0.0.1", "::1"] : answer.split(/[\s,]+/).filter((each) => each !== "");
    for (const range of ranges) readRange(range);
    return {
      answer: word === "local" ? word : ranges.join(", "),
      note: word === "local" ? "let the proxy pass requests on to http://127.0.0.1:8080" : "",
      settings: [
        word === "local"
          ? listens("127.0.0.1:8080", "The address to listen on, which only this machine can reach.")
          : listens(":8080", "The address to listen on. Let a firewall admit the proxies alone."),
        {
          path: ["trusted_proxies"],
          value: ranges,
          comment: "The proxies, whose X-Forwarded-* headers say who asks and by which address.",
        },
      ],
    };
  },
};

const listens = (value: string, comment: string): Setting => ({ path: ["addr"], value, comment });

const isSecure = (earlier: Known["earlier"]) => earlier.get("address")?.answer.startsWith("https:") === true;

function readRange(text: string): void {
  try {
    parseRange(text);
  } catch {
    throw new Error(`expected addresses or ranges such as 10.0.0.5 or 10.1.0.0/16, received ${text}`);
  }
}

const caches: Question = {
  name: "caches",
  text: "Where may it keep caches, and how large may they become?",
  hint: "a folder and a size, such as ./cache 10GiB; or memory: nothing survives a restart",
  async usual(known) {
    const root = pathOf(known.earlier.get("images")?.answer ?? "./images", known);
    const cache = pathOf("./cache", known);
    if (!isWithin(cache, root)) return "./cache 10GiB";
    const own =
      known.platform.env.XDG_CACHE_HOME || (known.platform.env.HOME && `${known.platform.env.HOME}/.cache`);
    return own && !isWithin(own, root) ? `${own}/smalti 10GiB` : "memory";
  },
  async read(answer, known) {
    if (answer.toLowerCase() === "memory")
      return {
        answer: "memory",
        note: "",
        settings: [
          {
            path: ["cache", "origin", "backend"],
            value: "heap",
            comment: "All caches are in memory; what they hold is made again after a restart.",
          },
        ],
      };
    const [, name = "", written = ""] = /^(.+?)\s+(\S+)$/.exec(answer) ?? [];
    const bytes = sizeOf(written);
    if (name === "") throw new Error("expected a folder and a size, such as ./cache 10GiB");
    const path = pathOf(name, known);
    await refuseUnusable(path, bytes, known);
    // Derivatives and sidecars take about as much; facts of masters are small.
    const mebibytes = Math.floor(bytes / 2 / 2 ** 20);
    const half = mebibytes % 1024 === 0 ? `${mebibytes / 1024}GiB` : `${mebibytes}MiB`;
    const folder = name.startsWith("~") ? path : name;
    const slot = (slot: string, comment: string, size?: string): Setting[] => [
      { path: ["cache", slot, "backend"], value: "filesystem", comment },
      { path: ["cache", slot, "path"], value: folder },
      ...(size === undefined ? [] : [{ path: ["cache", slot, "max_bytes"], value: size }]),
    ];
    return {
      answer: `${name} ${written}`,
      note: "",
      settings: [
        ...slot("render", "Derivatives that were sent before.", half),
        ...slot("info", "Facts of images, such as their sizes; at most 64 MiB."),
        ...slot("origin", "What makes further tiles of an image cheap.", half),
        ...slot("text", "The index of the text of pages, if there is any; at most 1 GiB."),
        ...slot("changes", "The stream of changes to manifests, if it is enabled; at most 512 MiB."),
      ],
    };
  },
};

function sizeOf(text: string): number {
  const form = "expected a folder and a size of at least 64MiB, such as ./cache 10GiB";
  let bytes: number;
  try {
    bytes = parseSize(text);
  } catch {
    throw new Error(form);
  }
  if (bytes < 64 * 2 ** 20) throw new Error(form);
  return bytes;
}

/** Throws if a folder cannot hold caches: a file, within the images, or without that much space. */
async function refuseUnusable(path: string, bytes: number, known: Known): Promise<void> {
  const { files } = known.platform;
  const stat = await files?.stat(path).catch(() => undefined);
  if (stat && stat.kind !== "directory") throw new Error(`${path} is not a folder; give another one`);
  const root = pathOf(known.earlier.get("images")?.answer ?? "", known);
  if (isWithin(path, root))
    throw new Error(`${path} is in the folder of the images, so caches would be served; give another folder`);
  const space = await files?.space?.(path).catch(() => undefined);
  if (space && space.free < bytes)
    throw new Error(
      `there are ${formatSize(space.free)} free at ${path}; give a smaller size, or another folder`,
    );
}

const profile = "readers";

const readers: Question = {
  name: "readers",
  text: "Who may see the images?",
  hint: "everyone; password: whoever has a name and password; or the addresses of a reading room, such as 192.0.2.0/24",
  usual: () => "everyone",
  async read(answer, { askFor }) {
    const word = answer.toLowerCase();
    if (word === "everyone") return { answer: word, note: "", settings: [] };
    if (word === "password") {
      const name = await askFor("Name of the first reader");
      if (!/^[^\s:]+$/.test(name)) throw new Error("expected a name without spaces and colons");
      const password = await askFor("Password", true);
      if (password.length < 8) throw new Error("expected a password of at least 8 characters");
      const hash = await hashPassword(password, costs.usual);
      return {
        answer: word,
        note: "add further readers by `smalti hash-password`",
        settings: gate(
          "active",
          "Readers need a name and password. `smalti hash-password` makes further hashes.",
          [
            { path: ["label"], value: { en: ["Sign in"] } },
            { path: ["access_service", "backend"], value: "builtin" },
            { path: ["access_service", "users"], value: { [name]: hash } },
          ],
        ),
      };
    }
    const ranges = answer.split(/[\s,]+/).filter((each) => each !== "");
    for (const range of ranges) readRange(range);
    return {
      answer: ranges.join(", "),
      note: "",
      settings: gate("kiosk", "Only these addresses see the images.", [
        { path: ["label"], value: { en: ["Reading room"] } },
        { path: ["access_service", "backend"], value: "builtin" },
        { path: ["kiosk", "allowed_ips"], value: ranges },
      ]),
    };
  },
};

/** Returns a profile that all images need. */
function gate(pattern: string, comment: string, more: readonly Setting[]): Setting[] {
  const own: Setting[] = [{ path: ["pattern"], value: pattern, comment }, ...more];
  return [
    {
      path: ["auth", "strict_profiles"],
      value: true,
      comment:
        "Logins have only the names that Authorization Flow 2.0 defines, so that all viewers know them.",
    },
    ...own.map((setting) => ({ ...setting, path: ["auth", "profiles", profile, ...setting.path] })),
    {
      path: ["auth", "rules", 0, "match"],
      value: "*",
      comment:
        "All images need this profile. Replace * by a prefix such as private/* to gate a part of them.",
    },
    { path: ["auth", "rules", 0, "profile"], value: profile },
  ];
}

const internet: Question = {
  name: "internet",
  text: "Is it on the open internet, where crawlers come?",
  hint: "yes: it counts what readers and crawlers use, and limits nothing yet; or no",
  usual: ({ earlier }) => (isLocal(new URL(earlier.get("address")?.answer ?? home)) ? "no" : "yes"),
  async read(answer) {
    const word = answer.toLowerCase();
    if (word !== "yes" && word !== "no") throw new Error("expected yes or no");
    return {
      answer: word,
      note: word === "yes" ? "after a week, look at /admin/visitors" : "",
      settings:
        word === "no"
          ? []
          : [
              {
                path: ["crawlers", "mode"],
                value: "observe",
                comment:
                  "/admin/visitors shows what readers and crawlers use, and what mode: limit would do. Nothing is limited yet.",
              },
            ],
    };
  },
};

/** The questions in their order. */
export const questions: readonly Question[] = [images, address, front, caches, readers, internet];
