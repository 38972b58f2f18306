// The search: a dialog that finds sections of all pages as the reader types. The text of the pages is loaded
// and indexed when the dialog opens for the first time.

import { createIndex, find as findIn } from "./find.js";

const { sections: address, root } = document.querySelector("script[data-sections]").dataset;
const byId = (id) => document.getElementById(id);
const [button, dialog, input, count, results] = ["search", "found", "words", "count", "results"].map(byId);
const most = 20;
let loading;

async function load() {
  const response = await fetch(address);
  if (!response.ok) throw new Error(`the server responded with status ${response.status}`);
  return createIndex(await response.json());
}

async function open() {
  if (!dialog.open) dialog.showModal();
  input.select();
  await find();
}

/** Shows what is found; loads the index if that has not succeeded yet. */
async function find() {
  const words = input.value.trim();
  let index;
  try {
    loading ??= load();
    index = await loading;
  } catch (error) {
    loading = undefined;
    count.textContent = `The search could not be loaded (${error.message}). Type again to retry.`;
    return;
  }
  const found = words === "" ? [] : findIn(index, words);
  if (words !== input.value.trim()) return; // a later word is on its way
  count.textContent = words === "" ? "" : found.length === 0 ? "Nothing was found." : `${found.length} found`;
  results.replaceChildren(...found.slice(0, most).map(rowOf));
}

function rowOf({ id, title, heading, text, terms }) {
  const link = document.createElement("a");
  link.href = root + id;
  const name = document.createElement("strong");
  name.textContent = heading;
  const page = document.createElement("span");
  page.textContent = heading === title ? "" : title;
  const part = document.createElement("small");
  part.textContent = excerpt(text, terms);
  link.append(name, " ", page, part);
  const row = document.createElement("li");
  row.append(link);
  return row;
}

/** Returns the text around the first of the terms. */
function excerpt(text, terms) {
  const lower = text.toLowerCase();
  const places = terms.map((term) => lower.indexOf(term)).filter((place) => place >= 0);
  const place = places.length > 0 ? Math.min(...places) : 0;
  const from = place < 60 ? 0 : text.indexOf(" ", place - 60) + 1;
  return `${from > 0 ? "… " : ""}${text.slice(from, from + 160)}${from + 160 < text.length ? " …" : ""}`;
}

/** Moves the focus along the field and the results. */
function move(step) {
  const stops = [input, ...results.querySelectorAll("a")];
  const at = stops.indexOf(document.activeElement);
  stops[Math.min(Math.max(at + step, 0), stops.length - 1)].focus();
}

button.hidden = false;
button.addEventListener("click", open);
input.addEventListener("input", find);
results.addEventListener("click", () => dialog.close());
dialog.addEventListener("keydown", (event) => {
  if (event.key === "ArrowDown" || event.key === "ArrowUp") {
    event.preventDefault();
    move(event.key === "ArrowDown" ? 1 : -1);
  } else if (event.key === "Enter" && event.target === input) {
    event.preventDefault();
    results.querySelector("a")?.click();
  }
});
document.addEventListener("keydown", (event) => {
  const isField = /^(INPUT|TEXTAREA|SELECT)$/.test(event.target.tagName);
  const isShortcut =
    (event.key === "/" && !isField) || (event.key === "k" && (event.ctrlKey || event.metaKey));
  if (!isShortcut || event.altKey) return;
  event.preventDefault();
  void open();
});
