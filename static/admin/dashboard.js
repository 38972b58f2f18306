// The status page comes alive: each frame of the stream changes the texts that differ, and nothing else.

import { textAt, valueAt } from "./figures.js";

const page = document.getElementById("status");
const pill = document.getElementById("live");
const all = (selector) => [...page.querySelectorAll(selector)];

const texts = all("[data-of]").map((element) => ({ element, ...element.dataset }));
const rows = all("[data-row]").map((element) => ({ element, path: element.dataset.row }));
const empties = all("[data-empty]").map((element) => ({ element, path: element.dataset.empty }));
const links = all("[data-link]").map((element) => ({ element, path: element.dataset.link }));
const targets = all("[data-href]").map((element) => ({ element, path: element.dataset.href }));
const levels = all("[data-level]").map((element) => ({ element, path: element.dataset.level }));
const bars = all("[data-bar]").map((element) => ({ element, path: element.dataset.bar }));
const strips = all("[data-strip]").map((element) => ({ element, path: element.dataset.strip, last: 0 }));

/** Two frames may speak of one check. */
const sameCheckMs = 2000;

/** What is known, from the latest frames together: only some speak of the sources. */
let known = {};

function show(frame) {
  known = { ...known, ...frame };
  const selection = document.getSelection();
  const isSelected = (node) => !selection.isCollapsed && selection.containsNode(node, true);
  for (const { element, path } of rows) setHidden(element, valueAt(known, path) === undefined);
  for (const { element, path } of empties) setHidden(element, valueAt(known, path)?.length !== 0);
  for (const { element, of, form } of texts) {
    const text = textAt(known, of, form);
    const node = element.firstChild ?? element.appendChild(new Text());
    // What somebody is about to copy stays as it is.
    if (node.data !== text && !isSelected(node)) node.data = text;
    if (element.dataset.state !== undefined) element.dataset.state = String(valueAt(known, of));
    if (element.localName === "time") setTime(element, valueAt(known, of));
  }
  for (const { element, path } of links) setLink(element, valueAt(known, path));
  for (const { element, path } of targets) setTarget(element, valueAt(known, path));
  for (const { element, path } of levels) element.className = valueAt(known, path) ?? "";
  const longest = Math.max(...known.stages.map(({ p95Ms }) => p95Ms ?? 0)) || 1;
  for (const { element, path } of bars)
    element.setAttribute("width", `${(100 * (valueAt(known, path) ?? 0)) / longest}%`);
  for (const strip of strips) if (frame.sources) mark(strip, valueAt(frame, strip.path));
}

function setHidden(element, hidden) {
  if (element.hidden !== hidden) element.hidden = hidden;
}

function setTime(element, at) {
  if (at === undefined) return;
  const text = new Date(at).toISOString();
  if (element.dateTime === text) return;
  element.dateTime = text;
  element.title = new Date(at).toLocaleString();
}

function setLink(element, identifier) {
  if (identifier === undefined) return;
  const target = element.dataset.base + identifier.split("/").map(encodeURIComponent).join("/");
  if (element.getAttribute("href") !== target) element.setAttribute("href", target);
}

/** An address below that of the operator's pages, or a fragment of this one. */
function setTarget(element, link) {
  if (link === undefined) return;
  const target = link.startsWith("#") ? link : element.dataset.base + link;
  if (element.getAttribute("href") !== target) element.setAttribute("href", target);
}

/** The latest checks of a source, the newest at the right. */
function mark(strip, source) {
  if (!source || source.checkedAt - strip.last < sameCheckMs) return;
  const marks = [...strip.element.children];
  // The page came with the newest one.
  if (strip.last !== 0)
    marks.forEach((each, i) => {
      each.dataset.state = marks[i + 1]?.dataset.state ?? "";
    });
  marks.at(-1).dataset.state = String(source.healthy);
  strip.last = source.checkedAt;
}

/** Texts of the pill, and of the verdict while no frames come; `since`: time of the figures on the page. */
const states = {
  live: { pill: "Live" },
  reconnecting: { pill: "Reconnecting", level: "bad", verdict: notResponding },
  silent: { pill: "No response", level: "bad", verdict: notResponding },
  full: {
    pill: "Too many dashboards are open",
    level: "warn",
    verdict: (since) => `These figures are from ${since}, because too many dashboards are open.`,
  },
  login: {
    pill: "Log in again: reload the page",
    level: "warn",
    verdict: (since) => `These figures are from ${since}. Log in again for newer ones.`,
  },
};

function notResponding(since) {
  return `The service has not responded since ${since}. The figures below are from then.`;
}

const summary = document.getElementById("verdict");

function tell(state) {
  if (pill.dataset.state !== state) {
    pill.dataset.state = state;
    pill.firstChild.data = states[state].pill;
  }
  if (!isOutdated) return;
  const { level, verdict } = states[state];
  const since = new Date(known.at ?? Number(page.dataset.at)).toISOString().slice(11, 19);
  const text = verdict(`${since} UTC`);
  if (summary.firstChild.data !== text) summary.firstChild.data = text;
  summary.parentElement.className = level;
}

/** Frames come each second, and up to two seconds later while parts are checked. */
const silentMs = 6000;
let silence;
/** True if no frame has come for so long that the verdict may be wrong. */
let isOutdated = false;

/** Expects a frame within {@link silentMs}; without one the verdict says since when there is none. */
function expectFrame() {
  clearTimeout(silence);
  isOutdated = false;
  silence = setTimeout(() => {
    isOutdated = true;
    const isOpen = stream.readyState === EventSource.OPEN;
    tell(!isOpen && states[pill.dataset.state]?.verdict ? pill.dataset.state : "silent");
    // The connection may have been lost without notice.
    if (isOpen) connect();
  }, silentMs);
}

const retryMs = 5000;
let stream;
let retry;

function open() {
  expectFrame();
  connect();
}

function connect() {
  clearTimeout(retry);
  stream?.close();
  stream = new EventSource(page.dataset.stream);
  stream.onmessage = ({ data }) => {
    expectFrame();
    show(JSON.parse(data));
    tell("live");
  };
  stream.onerror = () => {
    // It tries again by itself, but not after a response of another status, which it does not say either.
    if (stream.readyState !== EventSource.CLOSED) return tell("reconnecting");
    retry = setTimeout(connect, retryMs);
    fetch(page.dataset.stream, { method: "HEAD", cache: "no-store" }).then(
      ({ status }) => tell(status === 503 ? "full" : status === 401 ? "login" : "reconnecting"),
      () => tell("reconnecting"),
    );
  };
}

/** Replaces the charts by those of the latest samples. */
async function redraw() {
  if (document.hidden) return;
  const response = await fetch(page.dataset.charts, { cache: "no-store" }).catch(() => undefined);
  if (!response?.ok) return;
  const drawn = new DOMParser().parseFromString(await response.text(), "text/html");
  for (const chart of drawn.querySelectorAll("[data-chart]"))
    page.querySelector(`[data-chart="${chart.dataset.chart}"]`)?.replaceWith(chart);
}
if (page.dataset.charts) setInterval(redraw, Number(page.dataset.step));

open();
// A page that the browser keeps for the way back takes no place meanwhile.
addEventListener("pagehide", () => {
  clearTimeout(retry);
  clearTimeout(silence);
  stream.close();
});
addEventListener("pageshow", ({ persisted }) => {
  if (persisted) open();
});
