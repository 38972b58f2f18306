// The page around a viewer: sharing, dragging, problems. A viewer's own module starts it with what it knows of the view.

import { startDownloads } from "./downloads.js";
import { find, textOf, view } from "./page-data.js";

/** Says that there is no viewer, and how to see the picture all the same. */
export function showTrouble() {
  find("trouble").hidden = false;
  find("viewer").hidden = true;
}

/**
 * Brings the bar and the link to the other viewer to life. `current()` returns what is on screen: `{ canvasId, region }`, the region
 * as [x, y, width, height] in pixels of the canvas, or absent where all of it is seen.
 */
export function startPage(current) {
  // For tests, and for whoever looks for faults.
  globalThis.shownView = current;
  keepViewOnChange(current);
  if (view.embedded) return;
  for (const button of document.querySelectorAll("dialog [data-close]"))
    button.addEventListener("click", () => button.closest("dialog").close());
  for (const dialog of document.querySelectorAll("dialog"))
    dialog.addEventListener("click", ({ target }) => target === dialog && dialog.close());
  startSharing(current);
  startDownloads(current);
  startDragging(current);
}

let told;

/**
 * Says why canvases on screen have no pictures, as their summaries do, or as the service does when it is
 * asked for one; and whether a picture is damaged in part.
 */
export async function showProblems(canvases) {
  told = canvases;
  const summaries = canvases
    .filter(({ items = [] }) => items.length === 0)
    .flatMap(({ summary }) => textOf(summary) ?? []);
  say(summaries);
  const found = await Promise.all(canvases.map(lookAt));
  // Others may be on screen by now.
  if (told !== canvases) return;
  say([...summaries, ...found.flatMap(({ failure }) => failure || [])]);
  const states = found.flatMap(({ damaged }) => damaged ?? []);
  // What the page said stays, if nothing else is known.
  if (states.length > 0) find("damaged").hidden = !states.includes(true);
}

const looks = new Map();

/**
 * Looks at the thumbnail of a canvas. Returns `failure`: why it cannot be rendered, or why the reader may not
 * see the image from here; absent if it can be seen, if the viewer offers a login, or if another server has
 * it; and `damaged`: whether a part of the image is missing, if that is known.
 */
function lookAt({ id, thumbnail, items = [] }) {
  const service = [items[0]?.items?.[0]?.body?.service].flat()[0];
  const [address, ask] = thumbnail
    ? [[thumbnail].flat()[0]?.id, askWhy]
    : [service && `${service.id ?? service["@id"]}/info.json`, askRefusal];
  if (!address?.startsWith(`${view.base}/`)) return {};
  if (!looks.has(id))
    looks.set(
      id,
      ask(address).catch(() => ({})),
    );
  return looks.get(id);
}

async function askWhy(address) {
  const response = await fetch(address);
  if (response.ok) return { damaged: response.headers.get("X-Damaged-Master") === "yes" };
  // A service that is busy says nothing of the picture.
  if (response.status < 500 || response.status === 503) return {};
  return { failure: (await response.json()).detail };
}

/** Returns what the probe service says if the reader's address decides, and no viewer offers a login. */
async function askRefusal(address) {
  const { service } = await (await fetch(address)).json();
  const probe = [service].flat().find((each) => each?.type === "AuthProbeService2");
  if (!probe?.service?.every(({ profile }) => profile === "kiosk")) return {};
  const { status, substitute, heading, note } = await (await fetch(probe.id)).json();
  if (status !== 401 || substitute?.length > 0) return {};
  return { failure: [heading, note].map(textOf).filter(Boolean).join(". ") };
}

function say(texts) {
  const notice = find("problem");
  const text = texts.join(" ");
  // Written only when it changes: it is read out.
  if (notice.lastElementChild.textContent !== text) notice.lastElementChild.textContent = text;
  notice.hidden = text === "";
}

/** The content state of what is on screen; `extent`: `item`, `page` or `view`. */
function stateOf(extent, { canvasId, region }) {
  const context = "http://iiif.io/api/presentation/3/context.json";
  const manifest = { id: view.manifestId, type: "Manifest" };
  if (extent === "item" || !canvasId) return { "@context": context, ...manifest };
  const part = extent === "view" && region ? `#xywh=${region.join(",")}` : "";
  return { "@context": context, id: canvasId + part, type: "Canvas", partOf: [manifest] };
}

/** Content State API 1.0, section 6. */
const encode = (state) =>
  btoa(encodeURIComponent(JSON.stringify(state)))
    .replaceAll("+", "-")
    .replaceAll("/", "_")
    .replace(/=+$/, "");

function linkOf(extent, on) {
  if (extent === "item" || !on.canvasId) return view.page;
  return `${view.base}/view/?iiif-content=${encode(stateOf(extent, on))}`;
}

const escaped = (text) => text.replace(/[&<>"]/g, (each) => `&#${each.charCodeAt(0)};`);

function startSharing(current) {
  const dialog = find("share");
  const open = find("share-open");
  let on = {};
  const draw = () => {
    const extent = dialog.querySelector('[name="extent"]:checked').value;
    const link = linkOf(extent, on);
    const embedded = new URL(link);
    embedded.search = `${embedded.search ? `${embedded.search}&` : "?"}embed=1`;
    find("share-link").value = link;
    find("share-embed").value =
      `<iframe src="${escaped(embedded.href)}" title="${escaped(view.title)}" width="800" height="600" style="border: 0; max-width: 100%" allowfullscreen></iframe>`;
    const state = find("share-state");
    if (state) state.value = JSON.stringify(stateOf(extent, on), null, 2);
    find("copied").textContent = "";
  };
  open.addEventListener("click", () => {
    on = current() ?? {};
    // A reader who has zoomed in means what is on screen.
    const first = dialog.querySelector(`[name="extent"][value="${on.region ? "view" : "item"}"]`);
    if (first) first.checked = true;
    draw();
    dialog.showModal();
  });
  for (const choice of dialog.querySelectorAll('[name="extent"]')) choice.addEventListener("change", draw);
  for (const button of dialog.querySelectorAll("[data-copy]"))
    button.addEventListener("click", () => copy(find(button.dataset.copy)));
  open.hidden = false;
}

async function copy(field) {
  field.select();
  try {
    await navigator.clipboard.writeText(field.value);
  } catch {
    // Without https there is no clipboard but this one.
    document.execCommand("copy");
  }
  find("copied").textContent = view.words.copied;
}

/** What is on screen goes along: its state for those who read states, the address of the manifest for all others. */
function startDragging(current) {
  const link = find("drag");
  link.addEventListener("dragstart", ({ dataTransfer }) => {
    const on = current() ?? {};
    const address = new URL(link.href);
    if (on.canvasId) address.searchParams.set("canvas", on.canvasId);
    dataTransfer.setData("text/uri-list", address.href);
    dataTransfer.setData("text/plain", JSON.stringify(stateOf("view", on)));
  });
}

/** Has the link to the other viewer keep what is on screen, as its address says when it is followed. */
function keepViewOnChange(current) {
  const link = find("change");
  if (!link || !view.hasStates) return;
  const viewer = new URL(link.href).searchParams.get("viewer");
  const search = view.search ? `&q=${encodeURIComponent(view.search)}` : "";
  const follow = () => {
    const on = current();
    if (on?.canvasId)
      link.href = `${view.base}/view/?viewer=${viewer}&iiif-content=${encode(stateOf("view", on))}${search}`;
  };
  for (const event of ["pointerdown", "focus", "pointerenter"]) link.addEventListener(event, follow);
}

/** A region as whole pixels within a canvas; undefined where it is all of it. */
export function within([x, y, w, h], { width, height }) {
  const left = Math.max(0, Math.round(x));
  const top = Math.max(0, Math.round(y));
  const right = Math.min(width, Math.round(x + w));
  const bottom = Math.min(height, Math.round(y + h));
  if (right <= left || bottom <= top) return undefined;
  if (left === 0 && top === 0 && right === width && bottom === height) return undefined;
  return [left, top, right - left, bottom - top];
}
