// Entry of the image on Node. Without arguments it follows /config/smalti.yaml if that is mounted; else it
// serves /images if that is mounted, and the sample otherwise, with its caches in /cache if that can be
// written. Arguments are those of smalti.

import { accessSync, constants, existsSync } from "node:fs";

const config = "/config/smalti.yaml";
const images = "/images"; // not in the image, so it exists if something is mounted there

function isWritable(folder) {
  try {
    accessSync(folder, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

function defaults() {
  if (process.env.SERVICE_CONFIG) return [];
  if (existsSync(config)) return ["-config", config];
  const caches = isWritable("/cache") ? ["-config", "/smalti/container/caches.yaml"] : [];
  return existsSync(images) ? [...caches, images] : caches;
}

if (process.argv.length === 2) process.argv.push(...defaults());
await import("../main.js");
