// The keys that the administration pages may change, and their form's texts.

import {
  type Control,
  configTree,
  type EditableField,
  type Leaf,
  leaves,
  type SchemaNode,
} from "../../server/index.ts";

/** Sections of the form, in order, with the label of each key. Everything else is in the schema. */
const sections: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  Server: {
    addr: "Address",
    read_timeout: "Read timeout",
    write_timeout: "Write timeout",
    shutdown_timeout: "Shutdown timeout",
  },
  Logging: {
    "log.level": "Log level",
    "log.format": "Log format",
  },
  "Image pipeline": {
    "image.max_pixel_area": "Largest source image",
    "image.max_concurrent": "Renders at the same time",
    "image.max_output_area": "Largest output area",
    "image.max_output_width": "Largest output width",
    "image.max_output_height": "Largest output height",
    "image.tile_size": "Tile size",
  },
};

let fields: readonly EditableField[] | undefined;

/** Returns the editable keys in the order of the form. */
export function editableFields(): readonly EditableField[] {
  fields ??= makeFields();
  return fields;
}

function makeFields(): EditableField[] {
  const known = new Map(leaves(configTree()).map((leaf) => [leaf.path, leaf]));
  return Object.entries(sections).flatMap(([section, labels]) =>
    Object.entries(labels).map(([path, label]) => {
      const leaf = known.get(path);
      if (!leaf) throw new Error(`Expected a key of the configuration, received ${path}.`);
      return fieldOf(section, label, leaf);
    }),
  );
}

function fieldOf(section: string, label: string, { keys, path, node }: Leaf): EditableField {
  return {
    section,
    keys,
    path,
    label,
    help: node.description ?? "",
    edit: node.edit ?? "restart",
    ...(node.env !== undefined && { env: node.env }),
    control: controlOf(node),
    initial: String(node.default ?? ""),
  };
}

function controlOf({ enum: choices, type, minimum = 0, maximum }: SchemaNode): Control {
  if (choices) return { kind: "choice", choices: choices.map(String) };
  if (type !== "integer") return { kind: "text" };
  return { kind: "count", minimum, ...(maximum !== undefined && { maximum }) };
}
