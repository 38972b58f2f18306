// Where the picture of an identifier lies: ms-0042_003r is manuscripts/MS 42/003r.tif.

export function resolve({ identifier }) {
  const [, number, leaf] = /^ms-(\d{4})_(\d{3}[rv])$/.exec(identifier) ?? [];
  if (number === undefined) return undefined; // no opinion: found as if there was no hook
  if (leaf === "000v") return false; // there is no such image
  return { key: `manuscripts/MS ${Number(number)}/${leaf}.tif` };
}
