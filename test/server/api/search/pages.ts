// Pages of text that tests lay next to images: ALTO files of known words, whose boxes follow from their
// positions by arithmetic.

/** Size of a page in its file: twice that of jpg-gray.jpg. */
const [width, height] = [1200, 800];

const escaped = (text: string) =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;");

/**
 * An ALTO file: word `w` of line `l`, both from 0, has the box 100 + 160w, 100 + 100l, 140, 40 in its file,
 * and half of that on the canvas.
 */
export const alto = (...lines: readonly string[]) =>
  `<?xml version="1.0"?><alto xmlns="http://www.loc.gov/standards/alto/ns-v3#"><Layout><Page WIDTH="${width}" HEIGHT="${height}"><PrintSpace><TextBlock>${lines
    .map(
      (line, l) =>
        `<TextLine HPOS="100" VPOS="${100 + 100 * l}" WIDTH="1000" HEIGHT="40">${line
          .split(" ")
          .map(
            (word, w) =>
              `<String CONTENT="${escaped(word)}" HPOS="${100 + 160 * w}" VPOS="${100 + 100 * l}" WIDTH="140" HEIGHT="40"/>`,
          )
          .join("<SP/>")}</TextLine>`,
    )
    .join("")}</TextBlock></PrintSpace></Page></Layout></alto>`;

/** The box of consecutive words of a line on the canvas, as in the fragment of a target. */
export const box = (line: number, first: number, last = first) =>
  `xywh=${50 + 80 * first},${50 + 50 * line},${80 * (last - first) + 70},20`;
