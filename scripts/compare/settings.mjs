// The servers of a comparison: their image settings, and their slot for sidecars.

/** Settings for images and responses, by a name for reports. */
const policies = {
  default: "",
  preserve: "image: { metadata: preserve }",
  "respect-icc": "image: { color: respect-icc, depth: source }",
  "preserve in sRGB": "image: { metadata: preserve, color: srgb, jpeg_passthrough: off }",
  sharpen: "image: { sharpen: on }",
  "sharpen more": "image: { sharpen: { radius: 2.5, amount: 1, threshold: 0 }, jpeg_chroma: '444' }",
  supersample: "image: { supersample: 2 }",
  linear: "image: { linear: on }",
  "linear, sharpened": "image: { linear: on, sharpen: on, supersample: 4, depth: source }",
  small: "image: { jpeg_encoder: small, jpeg_progressive: true }",
  "full chroma": "image: { jpeg_chroma: '444', jpeg_quality: 75 }",
  "re-encoded": "image: { jpeg_passthrough: off, tile_size: 256 }",
  window: "image: { window: { low: 1, high: 99 } }",
  overlay: "overlay: { image: 'm:png-rgba8.png', anchor: center, fit: shrink, opacity: 0.5 }",
  "overlay, preserved":
    "overlay: { image: 'm:gif-transparent.gif', anchor: top-left, fit: tile }\nimage: { metadata: preserve }",
  substitute: `auth:
  profiles: { staff: { pattern: clickthrough, access_service: { backend: builtin }, substitute: { max_size: "!301,301" } } }
  rules: [{ match: "*", profile: staff }]`,
  "substitute, linear": `image: { linear: on, depth: source }
auth:
  profiles: { staff: { pattern: clickthrough, access_service: { backend: builtin }, substitute: { max_size: "!150,150" } } }
  rules: [{ match: "*", profile: staff }]`,
};

/**
 * Where sidecars are stored: nowhere; in memory; in a folder; in a folder with room for few of them, so that
 * parts are lost between two reads. `again`: requests are repeated after all have been sent; `restart`: the
 * second time with servers that find what the first ones have left in their folder.
 */
const slots = {
  none: { origin: () => "{ backend: none }" },
  memory: { origin: () => "{ backend: heap, max_bytes: 256MiB }", again: true },
  folder: { origin: (path) => `{ backend: filesystem, path: ${path} }`, again: true, restart: true },
  small: { origin: (path) => `{ backend: filesystem, path: ${path}, max_bytes: 12MiB }`, again: true },
  tiny: { origin: () => "{ backend: heap, max_bytes: 1MiB }", again: true },
};

/**
 * Returns the names of policy and slot of each server: the usual policy with all slots, the others with one
 * slot each, in turn.
 */
export function settingsOf() {
  const names = Object.keys(slots);
  return [
    ...names.map((slot) => ({ policy: "default", slot })),
    ...Object.keys(policies)
      .slice(1)
      .map((policy, i) => ({ policy, slot: names[i % names.length] })),
  ].map(({ policy, slot }) => ({
    name: `${policy}; slot ${slot}`,
    ...slots[slot],
    yaml: (path) =>
      `${policies[policy]}\ncache:\n  render: { backend: none }\n  info: { backend: heap }\n  origin: ${slots[slot].origin(JSON.stringify(path))}`,
  }));
}
