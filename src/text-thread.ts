// Entry of a worker for long texts: it reads YAML and the text of pages, and indexes their words.

import type { TextQuestion } from "./base/text/text-question.ts";
import { yamlBounds } from "./base/text/yaml.ts";
import { mappingEntriesHere } from "./server/hooks/mapping-yaml.ts";
import { readYamlHere } from "./server/manifests/folders/manifest-file-text.ts";
import { threadPort } from "./server/platform/workers/thread-port.ts";
import { blocksOfSegment } from "./text/index/segment-blocks.ts";
import { readRecords } from "./text/record/file-records.ts";

const readers = { manifest: readYamlHere, mapping: mappingEntriesHere } as const;
const { post, onMessage } = await threadPort<TextQuestion>();

onMessage(async (question) => {
  if (question.of === "pages") post(await readRecords(question.bytes, question.name));
  else if (question.of === "segment") post(await blocksOfSegment(question.pages, question));
  else post(readers[question.of](question.text, yamlBounds.inWorker));
});
