// Entry of a worker that reads long YAML texts.

import type { TextQuestion } from "./base/text/text-question.ts";
import { yamlBounds } from "./base/text/yaml.ts";
import { mappingEntriesHere } from "./server/hooks/mapping-yaml.ts";
import { readYamlHere } from "./server/manifests/folders/manifest-file-text.ts";
import { threadPort } from "./server/platform/workers/thread-port.ts";

const readers = { manifest: readYamlHere, mapping: mappingEntriesHere } as const;
const { post, onMessage } = await threadPort<TextQuestion>();

onMessage(({ of, text }) => post(readers[of](text, yamlBounds.inWorker)));
