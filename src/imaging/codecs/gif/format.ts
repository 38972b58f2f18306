// GIF as a row of the table of formats: it is only read.

import type { Format } from "../format.ts";
import { gifCut } from "./cut.ts";
import { gifDecoder } from "./decoder.ts";
import { gifFacts } from "./facts.ts";
import { recognisesGif } from "./header.ts";

export const gif = {
  title: "GIF",
  read: {
    extensions: ["gif"],
    recognises: recognisesGif,
    end: [0x3b],
    findCut: gifCut,
    readFacts: gifFacts,
    hasSheets: false,
    nsPerPixel: 40,
    decoder: ({ pyramids }) => gifDecoder(pyramids),
  },
} satisfies Format;
