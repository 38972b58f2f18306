// The bill of materials of everything that the lock file installs, and of the vendored viewers: what npm
// writes, without what differs from machine to machine.

import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { packageComponent } from "../bundle-contents.mjs";
import { viewerPackages } from "../viewer-files.mjs";

/** The bill of materials of a checkout (CycloneDX, JSON), from its lock file and the manifest of viewers. */
export function lockBom(root) {
  const args = ["sbom", "--package-lock-only", "--sbom-format", "cyclonedx", "--sbom-type", "application"];
  const text = execFileSync("npm", args, { cwd: root, encoding: "utf8", maxBuffer: 2 ** 28 });
  const time = execFileSync("git", ["log", "-1", "--format=%ct"], { cwd: root, encoding: "utf8" });
  const bom = JSON.parse(text);
  bom.components.push(...viewerPackages.map(packageComponent));
  return portableBom(bom, new Date(Number(time) * 1000));
}

/**
 * A bill that is the same wherever it was made: the name of the component is that of its package (npm takes
 * the folder's), the time is that of the commit, the serial number is drawn from the content, and no address
 * of a download is in it.
 */
export function portableBom(bom, time) {
  const { component, ...metadata } = bom.metadata;
  const portable = {
    ...bom,
    metadata: {
      ...metadata,
      timestamp: time.toISOString(),
      component: { ...withoutDownloads(component), name: nameOf(component) },
    },
    components: bom.components.map(withoutDownloads),
  };
  delete portable.serialNumber;
  return { ...portable, serialNumber: `urn:uuid:${uuidOf(JSON.stringify(portable))}` };
}

function withoutDownloads({ externalReferences = [], ...component }) {
  return {
    ...component,
    externalReferences: externalReferences.filter(({ type }) => type !== "distribution"),
  };
}

/** The name in a purl such as `pkg:npm/%40scope/name@1.0.0`. */
function nameOf({ purl }) {
  return decodeURIComponent(/^pkg:npm\/(.*)@/.exec(purl)[1]);
}

/** A UUID of version 8 (RFC 9562, 5.8): its other bits are those of a digest. */
function uuidOf(text) {
  const hex = createHash("sha256").update(text).digest("hex");
  const variant = "89ab"[Number.parseInt(hex[16], 16) & 3];
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `8${hex.slice(13, 16)}`,
    `${variant}${hex.slice(17, 20)}`,
    hex.slice(20, 32),
  ].join("-");
}
