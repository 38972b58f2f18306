// The dialogue for downloads: the page on screen and the detail of it at several sizes, and the whole item in
// the forms that its manifest lists.

import { find, textOf, view } from "./page-data.js";

/** The manifest, which may offer more after a login; the browser asks whether it has changed. */
async function fetchManifest() {
  const response = await fetch(view.manifestId);
  if (!response.ok) throw new Error(`status ${response.status}`);
  return response.json();
}

/** Starts the button and its dialogue. `current` as in `startPage`. */
export function startDownloads(current) {
  const open = find("download-open");
  open.addEventListener("click", async () => {
    find("downloads").replaceChildren();
    say(view.words.wait);
    find("download").showModal();
    try {
      const sections = await sectionsOf(current() ?? {});
      find("downloads").replaceChildren(...sections);
      say(sections.length > 0 ? "" : view.words.noDownload);
      find("downloads").querySelector("a, select")?.focus();
    } catch {
      say(view.words.noDownload);
    }
  });
  open.hidden = view.count === 0;
}

const say = (text) => {
  find("download-text").textContent = text;
};

async function sectionsOf({ canvasId, region }) {
  const { items = [], rendering = [] } = await fetchManifest();
  const canvas = items.find(({ id }) => id === canvasId) ?? items[0];
  const whole = rendering.map((each) => ({ address: each.id, text: textOf(each.label) ?? each.id }));
  const own = [canvas?.rendering ?? []]
    .flat()
    .map((each) => ({ address: each.id, text: textOf(each.label) ?? each.id }));
  return [
    ...(canvas ? await pictureSections(canvas, region).catch(() => []) : []),
    ...(own.length > 0 ? [section(view.words.thisPage, own.map(fileLink))] : []),
    ...(whole.length > 0 ? [section(view.words.wholeItem, whole.map(fileLink))] : []),
  ];
}

/** The sections of the picture that paints a canvas, with a choice of formats above; none without a service. */
async function pictureSections(canvas, region) {
  const body = bodyOf(canvas);
  const service = [body?.service ?? []].flat().find(({ type }) => type === "ImageService3")?.id;
  if (!service) return [];
  const response = await fetch(`${service}/info.json`);
  if (!response.ok) throw new Error(`status ${response.status}`);
  const info = await response.json();
  const box = region && detailOf(canvas, info, region);
  const named = { service, name: nameOf(canvas) };
  const list = (title, part) =>
    section(
      title,
      sizesOf(part ?? info, info).map((size) => pictureLink({ ...named, ...size, part })),
    );
  return [
    chooseFormat(info),
    ...(box ? [list(view.words.thisView, box)] : []),
    list(view.words.thisPage, undefined),
  ];
}

/** The only picture of a canvas; undefined if it has several or none. */
function bodyOf({ items = [] }) {
  const bodies = items.flatMap((page) => page.items ?? []).flatMap(({ body }) => body ?? []);
  return bodies.length === 1 ? bodies[0] : undefined;
}

/** A region of a canvas in pixels of the image that fills it. */
function detailOf(canvas, info, [x, y, width, height]) {
  const across = info.width / canvas.width;
  const down = info.height / canvas.height;
  // A canvas of another shape does not say where its image lies.
  if (Math.abs(across / down - 1) > 0.01) return undefined;
  const left = Math.round(x * across);
  const top = Math.round(y * down);
  const right = Math.min(info.width, Math.round((x + width) * across));
  const bottom = Math.min(info.height, Math.round((y + height) * down));
  return right > left && bottom > top
    ? { x: left, y: top, width: right - left, height: bottom - top }
    : undefined;
}

/** The largest size at which a part is served, and halves of it down to a thumbnail. */
function sizesOf({ width, height }, { maxWidth, maxHeight, maxArea }) {
  const most = Math.min(
    1,
    (maxWidth ?? width) / width,
    (maxHeight ?? maxWidth ?? height) / height,
    Math.sqrt((maxArea ?? width * height) / (width * height)),
  );
  const sizes = [];
  for (let scale = most, size = "max"; ; scale /= 2) {
    const [w, h] = [width * scale, height * scale].map((side) => Math.max(1, Math.round(side)));
    sizes.push({ w, h, size });
    if (Math.max(w, h) / 2 < 200 || sizes.length === 5) return sizes;
    size = `${Math.max(1, Math.round(w / 2))},`;
  }
}

/** Formats that people know, by what image information calls them, in the order of the choice. */
const formats = {
  jpg: "JPEG",
  png: "PNG",
  webp: "WebP",
  avif: "AVIF",
  jxl: "JPEG XL",
  tif: "TIFF",
  jp2: "JPEG 2000",
};

/** A choice of the formats that image information lists; all links follow it. */
function chooseFormat({ extraFormats = [] }) {
  // Level 2 of the Image API has the first two.
  const offered = Object.keys(formats).filter((each) => ["jpg", "png", ...extraFormats].includes(each));
  const label = document.createElement("label");
  label.append(`${view.words.format} `);
  const select = label.appendChild(document.createElement("select"));
  select.id = "download-format";
  select.append(...offered.map((each) => new Option(formats[each], each)));
  select.addEventListener("change", () => {
    for (const link of find("downloads").querySelectorAll("a[data-stem]")) setFormat(link, select.value);
  });
  return label;
}

function setFormat(link, format) {
  link.href = link.href.replace(/\.\w+$/, `.${format}`);
  link.download = `${link.dataset.stem}.${format}`;
}

function section(title, links) {
  const made = document.createElement("section");
  made.appendChild(document.createElement("h3")).textContent = title;
  const list = made.appendChild(document.createElement("ul"));
  for (const link of links) list.appendChild(document.createElement("li")).appendChild(link);
  return made;
}

/** A link to a file, which the server names. */
function fileLink({ address, text }) {
  const link = document.createElement("a");
  link.href = address;
  link.textContent = text;
  return link;
}

function pictureLink({ service, name, part, w, h, size }) {
  const link = document.createElement("a");
  const region = part ? `${part.x},${part.y},${part.width},${part.height}` : "full";
  link.href = `${service}/${region}/${size}/0/default.jpg`;
  link.dataset.stem = `${name}${part ? ` (${region.replaceAll(",", "-")})` : ""} ${w}x${h}`;
  setFormat(link, "jpg");
  link.textContent = view.words.pixels.replace("{width}", w).replace("{height}", h);
  link.addEventListener("click", (event) => {
    // As readers expect of a link: a new tab.
    if (event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    void save(link);
  });
  return link;
}

/** What names of masters end in. */
const extension = /\.(?:jpe?g|png|tiff?|svs|webp|gif|jp2|jpx|jxl|avif)$/i;

/** The names of the item and of the page as a name of a file on all systems. */
function nameOf({ label }) {
  const names = [...new Set([view.title, textOf(label) ?? view.title])];
  const name = names.map((each) => each.replace(extension, "")).join(", ");
  const cut = [...name.replace(/[\p{C}\p{Z}/\\:*?"<>|%]+/gu, " ").trim()].slice(0, 100).join("");
  return cut.replace(/^\.+/, "").trim() || "image";
}

/**
 * Saves a picture under the name of its link. The response has a name of its own, made from its address, which
 * browsers would prefer; and a page that says why there is no picture would be saved in its place.
 */
async function save(link) {
  say(view.words.wait);
  try {
    const response = await fetch(link.href);
    if (!response.ok) throw new Error((await response.json()).detail);
    const address = URL.createObjectURL(await response.blob());
    Object.assign(document.createElement("a"), { href: address, download: link.download }).click();
    // Browsers begin to read it after this task.
    setTimeout(() => URL.revokeObjectURL(address), 60_000);
    say("");
  } catch ({ message }) {
    say(view.words.notFetched.replace("{reason}", message));
  }
}
