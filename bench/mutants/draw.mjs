// Which mutants are tried: drawn from a seed, over all top-level folders of src/ by the number of their
// sites.

const least = 3;

/** Whole numbers from 0 up to but not `below`, the same for the same seed. */
function seeded(seed) {
  let state = seed >>> 0;
  return (below) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

/** The top-level folder of a file of src/; files of src/ itself are one house. */
export const houseOf = (file) => (file.split("/").length > 2 ? file.split("/")[1] : "entries");

/** Returns about `count` of the sites, none within another, at least three of each house that has them. */
export function drawn(sites, count, seed) {
  const houses = new Map();
  for (const site of sites) houses.set(houseOf(site.file), [...(houses.get(houseOf(site.file)) ?? []), site]);
  const below = seeded(seed);
  return [...houses].flatMap(([, all]) => {
    const left = [...all];
    const taken = [];
    const wanted = Math.max(least, Math.round((count * all.length) / sites.length));
    while (taken.length < wanted && left.length > 0) {
      const [site] = left.splice(below(left.length), 1);
      const overlaps = taken.some(
        (other) => other.file === site.file && other.start < site.end && site.start < other.end,
      );
      if (!overlaps) taken.push(site);
    }
    return taken;
  });
}
