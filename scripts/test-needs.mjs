// Programs that tests need besides npm packages: found on the machine, installed on Debian and Ubuntu if this
// user may, else reported.

import { spawnSync } from "node:child_process";

/**
 * For each need: commands, one of which succeeds if the need is met, and the Debian packages that provide it.
 */
const needs = {
  caddy: { commands: ["command -v caddy"], debian: "caddy" },
  chromium: {
    commands: ["command -v chromium", "command -v chromium-browser", "command -v google-chrome"],
    debian: "chromium",
  },
  "chromium-headless-shell": {
    commands: ["test -x /usr/bin/chromium-headless-shell"],
    debian: "chromium-headless-shell",
  },
  cjpeg: {
    commands: ["command -v cjpeg && command -v djpeg && command -v jpegtran"],
    debian: "libjpeg-turbo-progs",
  },
  djxl: { commands: ["command -v cjxl && command -v djxl && command -v jxlinfo"], debian: "libjxl-tools" },
  exiftool: { commands: ["command -v exiftool"], debian: "libimage-exiftool-perl" },
  "colord-data": { commands: ["test -f /usr/share/color/icc/colord/ProPhotoRGB.icc"], debian: "colord-data" },
  "icc-profiles-free": {
    commands: ["test -f /usr/share/color/icc/TR003.ti3"],
    debian: "icc-profiles-free",
  },
  identify: { commands: ["command -v identify"], debian: "imagemagick" },
  kubectl: { commands: ["command -v kubectl"], debian: "kubernetes-client" },
  nginx: { commands: ["command -v nginx", "test -x /usr/sbin/nginx"], debian: "nginx-light" },
  openssl: { commands: ["command -v openssl"], debian: "openssl" },
  openslide: {
    commands: ["command -v openslide-show-properties && command -v openslide-write-png"],
    debian: "openslide-tools",
  },
  opj_decompress: { commands: ["command -v opj_decompress"], debian: "libopenjp2-tools" },
  podman: {
    // The tests need root as well.
    commands: [
      'test "$(id -u)" = 0 && for each in podman buildah runc podman-compose iptables; do command -v $each || exit 1; done && test -x /usr/lib/podman/aardvark-dns',
    ],
    debian: "podman buildah runc podman-compose netavark aardvark-dns iptables",
  },
  mmdebstrap: {
    // The base of the images is Debian, on Ubuntu too.
    commands: ["command -v mmdebstrap && test -f /usr/share/keyrings/debian-archive-keyring.gpg"],
    debian: "mmdebstrap debian-archive-keyring",
  },
  qpdf: { commands: ["command -v qpdf"], debian: "qpdf" },
  tesseract: {
    commands: [
      "command -v tesseract && command -v bible && test -f /usr/share/fonts/truetype/dejavu/DejaVuSerif.ttf",
    ],
    debian: "tesseract-ocr bible-kjv fonts-dejavu-core",
  },
  "systemd-analyze": { commands: ["command -v systemd-analyze"], debian: "systemd" },
  tiffinfo: { commands: ["command -v tiffinfo"], debian: "libtiff-tools" },
  fish: { commands: ["command -v fish"], debian: "fish" },
  zip: { commands: ["command -v zip"], debian: "zip" },
  zsh: { commands: ["command -v zsh"], debian: "zsh" },
  poppler: {
    commands: ["command -v pdftoppm && command -v pdftotext && command -v pdfinfo && command -v pdfimages"],
    debian: "poppler-utils",
  },
  promtool: { commands: ["command -v promtool"], debian: "prometheus" },
  transicc: { commands: ["command -v transicc && command -v jpgicc"], debian: "liblcms2-utils" },
  "redis-server": { commands: ["command -v redis-server"], debian: "redis-server" },
  varnish: {
    commands: ["command -v varnishd && ls /usr/lib/*/varnish/vmods/libvmod_vsthrottle.so"],
    debian: "varnish varnish-modules",
  },
  zstd: { commands: ["command -v zstd"], debian: "zstd" },
  xz: { commands: ["command -v xz"], debian: "xz-utils" },
  "python3-pil": {
    commands: ["python3 -c 'import PIL'", "/usr/bin/python3 -c 'import PIL'"],
    debian: "python3-pil",
  },
};

const found = ({ commands }) => commands.some((command) => spawnSync("sh", ["-c", command]).status === 0);

/**
 * Returns those of the named needs that are missing even after an attempt to install them, and prints a line
 * for each.
 */
export function provide(names) {
  const missing = names.filter((name) => !found(needs[name]));
  if (missing.length === 0) return [];
  const apt = spawnSync("sh", ["-c", "command -v apt-get"]).status === 0;
  if (apt && process.getuid?.() === 0) {
    const packages = missing.map((name) => needs[name].debian);
    console.log(`installing ${packages.join(" ")}`);
    aptGet("update");
    // All in one go; if one of them does not exist here, the others by themselves.
    if (aptGet("install", packages) !== 0 && packages.length > 1)
      for (const each of packages) aptGet("install", [each]);
  }
  const left = missing.filter((name) => !found(needs[name]));
  for (const name of left)
    console.error(
      `missing for the tests: ${name} (on Debian: ${needs[name].debian}); install it, then run the tests again`,
    );
  return left;
}

function aptGet(command, packages = []) {
  const names = packages.flatMap((each) => each.split(" "));
  const options = command === "install" ? ["-y", "--no-install-recommends"] : [];
  return spawnSync("apt-get", ["-qq", command, ...options, ...names], {
    stdio: ["ignore", "ignore", "inherit"],
    env: { ...process.env, DEBIAN_FRONTEND: "noninteractive" },
  }).status;
}
