// Entry of the image on Node. Arguments are those of smalti; each command follows /config/smalti.yaml if that
// is mounted. Else the service, without further arguments, serves /images if that is mounted, and the sample
// otherwise, with its caches in /cache if that can be written.

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
  const caches = isWritable("/cache") ? ["-config", "/smalti/container/caches.yaml"] : [];
  return existsSync(images) ? [...caches, images] : caches;
}

if (!process.env.SERVICE_CONFIG && existsSync(config)) process.env.SERVICE_CONFIG = config;
if (!process.env.SERVICE_CONFIG && ["", "serve"].includes(process.argv.slice(2).join(" ")))
  process.argv.push(...defaults());
await import("../main.js");
