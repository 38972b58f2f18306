// Each collection has a mark of its own; the rest is marked as `overlay:` in the configuration says.

const marks = new Map([
  ["press", { image: "marks/press.png", anchor: "top-left", opacity: 0.9 }],
  ["maps", { image: "marks/archive.png", min_size: 300 }],
  ["open", false], // no mark
]);

export function overlay({ identifier }) {
  const [collection] = identifier.split("/");
  return marks.get(collection);
}
