// Entry of a worker that reads long YAML texts.

import { mappingEntriesHere } from "./hooks/mapping-yaml.ts";
import type { TextQuestion } from "./lib/text/text-question.ts";
import { yamlBounds } from "./lib/text/yaml.ts";
import { readYamlHere } from "./manifests/folders/manifest-file-text.ts";
import { threadPort } from "./platform/workers/thread-port.ts";

const readers = { manifest: readYamlHere, mapping: mappingEntriesHere } as const;
const { post, onMessage } = await threadPort<TextQuestion>();

onMessage(({ of, text }) => post(readers[of](text, yamlBounds.inWorker)));
