// What the operator reads at start: what is served where, what is off, what to click.

import { encodeIdentifier } from "./iiif/image/path.ts";
import { firstImages } from "./images/first-images.ts";
import { memoryBudget } from "./images/options.ts";
import { formatSize } from "./lib/quantity.ts";
import type { Service } from "./service.ts";
import { placeOf } from "./sources/options.ts";

/** The same for machines, as the fields of one log message. */
export function startFields(
  service: Service,
  urls: readonly string[],
  file: string | undefined,
): Record<string, unknown> {
  const { platform, sources, slots, version } = service;
  return {
    version,
    runtime: `${platform.name} ${platform.version}`,
    urls,
    configuration: file,
    sources: sources.all.map((source) => source.name),
    caches: slots.all.map((slot) => `${slot.name}: ${slot.about}`),
  };
}

/** Lines for a terminal. */
export async function startText(
  service: Service,
  urls: readonly string[],
  file: string | undefined,
): Promise<string> {
  const { platform, sources } = service;
  const config = service.config();
  const open = urls.map((url) => url.replace(/\/\/(0\.0\.0\.0|\[::\])/, "//localhost"));
  const first = open[0] ?? "";
  const [image] = await firstImages(service.images, sources.default, 1);
  const lines = [
    `smalti ${service.version} on ${platform.name} ${platform.version}, ${config.image.max_concurrent || platform.parallelism} workers, ${formatSize(memoryBudget(config.image, platform.memoryBytes))} for images`,
    `  configuration  ${file ?? "none: defaults"}`,
    ...config.sources.map(
      (source) =>
        `  source         ${source.name}: ${placeOf(source)}${source.prefix ? ` under ${source.prefix}` : ""}`,
    ),
    ...(config.sources.length === 0
      ? [
          "  source         the bundled picture `sample`; your own: smalti DIR, or sources in a configuration file",
        ]
      : []),
    ...service.slots.all.map((slot) => `  cache ${slot.name.padEnd(8)} ${slot.about}`),
    `  limits         ${limitsText(service)}`,
    "",
    `  start page     ${first}/`,
  ];
  if (image?.size)
    lines.push(`  an image       ${first}/iiif/3/${encodeIdentifier(image.identifier)}/info.json`);
  else if (image) lines.push(`  an image       ${image.identifier}: ${image.problem}`);
  else if (!sources.default.list)
    lines.push(
      `  images         ${first}/iiif/3/{identifier}/info.json (source "${sources.default.name}" cannot list them)`,
    );
  else lines.push(`  no image found at the top of source "${sources.default.name}"`);
  return `${lines.join("\n")}\n`;
}

function limitsText(service: Service): string {
  const { image, limits } = service.config();
  const stated = [
    image.max_pixel_area > 0
      ? `sources up to ${image.max_pixel_area / 1e6} megapixels`
      : "sources of any size",
    image.max_output_area > 0
      ? `answers up to ${image.max_output_area / 1e6} megapixels`
      : "answers of any size",
    ...(limits.max_in_flight > 0 ? [`${limits.max_in_flight} requests at once`] : []),
    ...(limits.max_in_flight_per_ip > 0
      ? [`${limits.max_in_flight_per_ip} requests at once from one address`]
      : []),
    ...(limits.max_in_flight + limits.max_in_flight_per_ip === 0 ? ["no cap on requests"] : []),
  ];
  return stated.join(", ");
}
