// Entry of the image on Node. Arguments are those of smalti; each command follows /config/smalti.yaml if that
// is mounted. Else the service serves the folder that is its argument, /images if that is mounted, or the
// sample, with its caches in /cache if that can be written.

import { accessSync, constants, existsSync, statSync } from "node:fs";

const config = "/config/smalti.yaml";
const images = "/images"; // not in the image, so it exists if something is mounted there

/** Whether there is a configuration. One that cannot be read counts: it is an error, and not passed over. */
function isMounted(file) {
  try {
    return statSync(file) !== undefined;
  } catch ({ code }) {
    return code !== "ENOENT";
  }
}

function isWritable(folder) {
  try {
    accessSync(folder, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

const { env, argv } = process;
const [first, ...rest] = argv.slice(2);
const words = first === undefined || first === "serve" ? rest : [first, ...rest];
const isService = words.every((word) => word.startsWith("/"));

if (!env.SERVICE_CONFIG && isMounted(config)) env.SERVICE_CONFIG = config;
if (!env.SERVICE_CONFIG && isService) {
  if (words.length === 0 && existsSync(images)) argv.push(images);
  if (isWritable("/cache")) argv.push("-config", "/smalti/container/caches.yaml");
}
await import("../main.js");
