// The start text for the operator: what is served where, what is disabled and how to enable it, what is
// wrong, what to click.

import { type Finding, findingLine, formatSize } from "../../base/index.ts";
import { addressForm, imageAddress, mainPrefix } from "../../iiif/index.ts";
import type { Config } from "../config/schema.ts";
import type { ImageCount } from "../images/count-images.ts";
import type { ListedImage } from "../images/look.ts";
import { slotNames } from "../stores/bounds.ts";

/** Facts about a running service. */
export interface StartFacts {
  readonly version: string;
  /** Name and version. */
  readonly runtime: string;
  readonly workers: number;
  /** Bytes that all renders together may take. */
  readonly memoryBytes: number;
  /** Absolute path of the configuration file, if any. */
  readonly configuration: string | undefined;
  /** Addresses of the service, without a final slash; empty if the runtime does not report them. */
  readonly urls: readonly string[];
  /** Addresses by which other machines reach it, likewise; empty if only this one does. */
  readonly network: readonly string[];
  /** True if requests are summed up once a minute. */
  readonly isSummed: boolean;
  /** The first one without a prefix, else the first, is the default source. */
  readonly sources: readonly SourceFacts[];
  readonly caches: readonly CacheFacts[];
  /** Unusable parts, and why. */
  readonly faults: readonly Finding[];
  /** True if the pages of the operator are enabled. */
  readonly hasAdmin: boolean;
  /** True if a hook decides on access before the rules. */
  readonly isHooked: boolean;
  readonly settings: Pick<Config, "base_url" | "image" | "limits" | "cache" | "mcp" | "auth">;
  /** The command that serves the folder `DIR`, for the way this program was started. */
  readonly folderCommand: string;
  /** The first image that people see on the start page. */
  readonly example?: ListedImage;
}

export interface SourceFacts {
  readonly name: string;
  readonly prefix: string;
  /** Folder, URL or bucket; absent for the bundled sample. */
  readonly location?: string;
  /** It is named among the faults. */
  readonly unusable?: true;
  /** Absent if the source cannot list its images, or is unusable. */
  readonly count?: ImageCount;
}

export interface CacheFacts {
  readonly name: string;
  /** Backend and bounds in words. */
  readonly about: string;
}

/** The facts for machines, as the fields of one log message. */
export function startFields(facts: StartFacts): Record<string, unknown> {
  const { version, runtime, urls, configuration, sources, caches } = facts;
  return {
    version,
    runtime,
    urls,
    configuration,
    sources: sources.map(({ name }) => name),
    caches: caches.map(({ name, about }) => `${name}: ${about}`),
    access: accessText(facts),
    unusable: facts.faults.map(({ where }) => where),
  };
}

/** The facts as lines for a terminal. */
export function startText(facts: StartFacts): string {
  const { version, runtime, workers, memoryBytes, configuration, sources, caches } = facts;
  const lines = [
    `smalti ${version} on ${runtime}, ${workers} ${workers === 1 ? "worker" : "workers"}, ${formatSize(memoryBytes)} for images`,
    row("configuration", configuration ?? "none: defaults"),
    ...sources.map((source) => row("source", sourceText(source))),
    ...caches.map(({ name, about }) => row(`cache ${name}`, about)),
    row("access", accessText(facts)),
    row("limits", limitsText(facts.settings)),
    ...switches
      .filter(({ isOff }) => isOff(facts))
      .map(({ what, how }) => row("off", `${what}; to switch it on: ${how(facts)}`)),
    "",
    ...addressLines(facts),
    ...faultLines(facts),
  ];
  return `${lines.join("\n")}\n`;
}

const row = (name: string, text: string) => `  ${name.padEnd(14)} ${text}`;

function sourceText({ name, location, prefix, count, unusable }: SourceFacts): string {
  if (location === undefined) return `the bundled picture \`${name}\``;
  const holds = unusable ? "cannot be used, see below" : holdsText(count);
  return `${name}: ${location}${prefix ? ` under ${prefix}` : ""}, ${holds}`;
}

function holdsText(count: ImageCount | undefined): string {
  if (!count) return "which cannot be listed";
  const images = `${groupDigits(count.images)} ${count.images === 1 ? "image" : "images"}`;
  if (!count.more) return images;
  return count.images === 0 ? "too large to count at start" : `${images} or more`;
}

const groupDigits = (n: number) => n.toLocaleString("en");

/** Disabled features, and the settings that enable them. */
const switches: readonly {
  readonly what: string;
  readonly how: (facts: StartFacts) => string;
  readonly isOff: (facts: StartFacts) => boolean;
}[] = [
  {
    what: "your own images",
    how: ({ folderCommand }) => `${folderCommand}, or sources in a configuration file`,
    isOff: ({ sources }) => sources.every(({ location }) => location === undefined),
  },
  {
    what: "admin pages at /admin/",
    how: () => "SERVICE_ADMIN_USER and SERVICE_ADMIN_PASS in the environment",
    isOff: ({ hasAdmin }) => !hasAdmin,
  },
  {
    what: "limits of answers",
    how: () => "image: { max_output_area: 25000000 }",
    isOff: ({ settings: { image } }) =>
      image.max_output_area + image.max_output_width + image.max_output_height === 0,
  },
  {
    what: "caps on requests",
    how: () => "limits: { max_in_flight_per_ip: 32 }",
    isOff: ({ settings: { limits } }) => limits.max_in_flight + limits.max_in_flight_per_ip === 0,
  },
  ...slotNames.map((slot) => ({
    what: `cache ${slot}`,
    how: () => `cache: { ${slot}: { backend: heap } }`,
    isOff: ({ settings }: StartFacts) => settings.cache[slot].backend === "none",
  })),
];

type Auth = NonNullable<Config["auth"]>;
type Profile = Auth["profiles"][string];

/** Profiles that are named; of more, the rest are counted. */
const maxProfiles = 4;

/** Describes who may see what, and where logins are stored. */
function accessText({ settings: { auth }, isHooked }: StartFacts): string {
  const parts = [
    ...(isHooked ? ["a hook decides first"] : []),
    ...(auth?.rules.length ? [rulesText(auth)] : [isHooked ? "no rules" : "no rules: every image is public"]),
    ...(auth && Object.values(auth.profiles).some(({ access_service: { backend } }) => backend !== "header")
      ? [`sessions ${storeTexts[auth.session.backend]}`]
      : []),
  ];
  return parts.join("; ");
}

function rulesText({ rules, profiles }: Auth): string {
  const all = Object.entries(profiles).map(([name, profile]) => `${name} (${wayText(profile)})`);
  const shown = all.length > maxProfiles ? all.slice(0, maxProfiles - 1) : all;
  const rest = all.length - shown.length;
  const count = `${groupDigits(rules.length)} ${rules.length === 1 ? "rule" : "rules"}`;
  return `${count}: ${shown.join(", ")}${rest > 0 ? ` and ${groupDigits(rest)} more profiles` : ""}`;
}

/** Describes how readers get access. */
function wayText({ pattern, access_service: { backend } }: Profile): string {
  if (backend !== "builtin")
    return { header: "header", external: "your page", oidc: "OpenID Connect" }[backend];
  return { active: "password", clickthrough: "click", kiosk: "address", external: "your page" }[pattern];
}

const storeTexts: { readonly [B in Auth["session"]["backend"]]: string } = {
  heap: "in memory",
  filesystem: "in a folder",
  s3: "in a bucket",
  redis: "in redis",
};

function limitsText({ image, limits }: StartFacts["settings"]): string {
  const sides = [
    ...(image.max_output_area > 0 ? [`${image.max_output_area / 1e6} megapixels`] : []),
    ...(image.max_output_width > 0 ? [`${groupDigits(image.max_output_width)} pixels wide`] : []),
    ...(image.max_output_height > 0 ? [`${groupDigits(image.max_output_height)} pixels high`] : []),
  ];
  const stated = [
    image.max_pixel_area > 0
      ? `sources up to ${image.max_pixel_area / 1e6} megapixels`
      : "sources of any size",
    `${image.timeout} for a render`,
    sides.length > 0 ? `answers up to ${sides.join(" and ")}` : "responses of any size",
    ...(limits.max_in_flight > 0 ? [`${limits.max_in_flight} requests at once`] : []),
    ...(limits.max_in_flight_per_ip > 0
      ? [`${limits.max_in_flight_per_ip} requests at once from one network`]
      : []),
    ...(limits.max_in_flight + limits.max_in_flight_per_ip === 0 ? ["no cap on requests"] : []),
  ];
  return stated.join(", ");
}

/** Addresses to click. */
function addressLines(facts: StartFacts): string[] {
  const { urls, network, sources, example, settings, hasAdmin, isSummed } = facts;
  const [first = ""] = urls.map((url) => url.replace(/\/\/(0\.0\.0\.0|\[::\])/, "//localhost"));
  const home = sources.find(({ prefix }) => prefix === "") ?? sources[0];
  const image = () => {
    if (example?.size)
      return row("an image", `${imageAddress(first + mainPrefix[3], example.identifier)}/info.json`);
    if (example) return row("an image", `${example.identifier}: ${example.problem}`);
    if (home?.count?.images === 0 && !home.count.more)
      return `  no image found in source "${home.name}"; put a JPEG, PNG, TIFF, WebP, GIF, JPEG 2000 or PDF file into it`;
    return row("images", first + addressForm);
  };
  const mcp = settings.mcp.enabled ? [row("mcp", `${first}/mcp`)] : [];
  const admin = hasAdmin ? [row("admin", `${first}/admin/`)] : [];
  const publicUrl = settings.base_url
    ? [row("public URL", `${settings.base_url.replace(/\/*$/, "/")} (base_url: all ids begin with it)`)]
    : [];
  const summed = isSummed
    ? ["", "  Requests are summed up once a minute here; with log: { requests: true } each has a line."]
    : [];
  return [
    row("start page", `${first}/`),
    ...networkLines(network),
    ...publicUrl,
    ...admin,
    ...mcp,
    image(),
    ...summed,
  ];
}

function networkLines(network: readonly string[]): string[] {
  if (network.length === 0) return [];
  return [
    ...network.map((url) => row("network", `${url}/`)),
    row("", "everybody in this network can open it; --host localhost keeps it to this machine"),
  ];
}

function faultLines({ faults }: StartFacts): string[] {
  if (faults.length === 0) return [];
  return [
    "",
    "  Cannot be used at the moment; each is tried again when it is needed, and /ready shows its state:",
    ...faults.map((fault) => `    ${findingLine(fault)}`),
  ];
}
