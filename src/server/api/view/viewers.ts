// The viewers that pages open, with what each needs from the page around it.

import type { Page } from "../http/page-content.ts";

export type ViewerName = "mirador" | "uv";

export interface Viewer {
  /** Name for people. */
  readonly title: string;
  /** Languages of the viewer's own texts, in its own spelling. */
  readonly languages: readonly string[];
  readonly page: Pick<Page, "styles" | "scripts" | "modules" | "inlineStyles" | "styleAttributes">;
}

/**
 * SHA-256 of the text "", in the form of policies: style elements that a script fills by rules, not by text.
 */
const emptyStyle = "'sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU='";

const universal = "viewer/universalviewer-4.4.0";

/** The folders in `static/viewer/`; `scripts/viewers.json` has their versions. */
export const viewers: Readonly<Record<ViewerName, Viewer>> = {
  mirador: {
    title: "Mirador",
    languages: [
      ...["ar", "bg", "de", "en", "et", "fa", "fr", "hr", "hu", "it", "ja", "kr", "lt", "nb-NO", "nl"],
      ...["pl", "pt-BR", "sr", "sv", "vi", "zh-CN", "zh-TW"],
    ],
    page: {
      styles: ["view/view.css"],
      scripts: ["viewer/mirador-4.0.0/mirador.min.js"],
      modules: ["view/mirador.js"],
      inlineStyles: [emptyStyle],
    },
  },
  uv: {
    title: "Universal Viewer",
    languages: ["en-GB", "cy-GB", "fr-FR", "pl-PL", "sv-SE"],
    page: {
      styles: [
        `${universal}/uv.css`,
        "viewer/shims/uv.css",
        "viewer/shims/login-bar.css",
        "view/view.css",
        "view/uv.css",
      ],
      scripts: [`${universal}/umd/UV.js`],
      modules: ["view/uv.js"],
      inlineStyles: [
        emptyStyle,
        "'sha256-BoxPoUrE65+4ITnwETXRFYkRB2L/MJwDaEd52NptIHc='",
        "'sha256-V4SarAiVbO77lJTzMaRut9Qr7Cx4R8jo8vH1dIFkVSc='",
        "'sha256-0S+nXVYaObf/RKdlS2I7B0OkrGdSX9Fg5+0DDu/rGeY='",
        "'sha256-9xTiqzfwFaL2SGb1rmr8gysEwVVjIvqWAgmZgqFqpEE='",
      ],
      styleAttributes: true,
    },
  },
};

/** Returns the viewer with a name, or undefined. */
export function viewerNamed(name: string): ViewerName | undefined {
  return Object.keys(viewers).find((each) => each === name) as ViewerName | undefined;
}
