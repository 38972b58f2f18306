// How figures are written on the status page, as src/admin/dashboard/figures.ts does it on the server.

const number = new Intl.NumberFormat("en", { maximumFractionDigits: 1 });
const units = [
  ["TiB", 2 ** 40],
  ["GiB", 2 ** 30],
  ["MiB", 2 ** 20],
  ["KiB", 2 ** 10],
];

function duration(ms) {
  const seconds = Math.max(0, Math.floor(ms / 1000));
  const [d, h, m, s] = [seconds / 86400, (seconds / 3600) % 24, (seconds / 60) % 60, seconds % 60].map(
    Math.floor,
  );
  if (d) return `${d} d ${h} h`;
  if (h) return `${h} h ${m} min`;
  if (m) return `${m} min ${s} s`;
  return `${s} s`;
}

export const forms = {
  text: String,
  count: (value) => number.format(Math.round(value)),
  rate: (value) => number.format(value),
  bytes(value) {
    // A number that would be rounded up to 1024 of a unit is written as 1 of the next.
    const [unit, factor] = units.find(([, each]) => value >= each * (1 - 1 / 20480)) ?? ["B", 1];
    return `${Number((value / factor).toFixed(1))} ${unit}`;
  },
  percent: (value) => `${number.format(100 * value)} %`,
  ms: (ms) =>
    ms >= 1000 ? `${number.format(ms / 1000)} s` : `${number.format(ms >= 100 ? Math.round(ms) : ms)} ms`,
  seconds: (value) => duration(1000 * value),
  ago: (value, at) => `${duration(at - value).replace(/(\d+ (?:d|h|min)) .*/, "$1")} ago`,
  healthy: (value) => (value ? "Healthy" : "Unhealthy"),
  resting: (value) => (value ? "paused after failures" : ""),
};

export function valueAt(frame, path) {
  let value = frame;
  for (const name of path.split(".")) value = value?.[name];
  return value ?? undefined;
}

export function textAt(frame, path, form) {
  const value = valueAt(frame, path);
  return value === undefined ? "–" : forms[form](value, frame.at);
}
