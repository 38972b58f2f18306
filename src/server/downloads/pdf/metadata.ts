// Title, rights and provider of a document: its information dictionary, and the same as XMP, as PDF/A demands
// (ISO 19005-2, 6.6; XMP specification, part 1).

import { dictionary, textString, wellFormed } from "./syntax.ts";

export interface PdfFacts {
  readonly title: string;
  /** Who provides the images. */
  readonly publisher?: string | undefined;
  /** Statement of rights for people. */
  readonly rights?: string | undefined;
  /** Address of a licence or a statement of rights. */
  readonly licence?: string | undefined;
  /** Address that the document was made from. */
  readonly source: string;
  /** BCP 47. */
  readonly language?: string | undefined;
  /** Program that makes the file. */
  readonly producer: string;
}

/** Returns the information dictionary (ISO 32000-1, 14.3.3). */
export const informationOf = ({ title, producer }: PdfFacts): string =>
  dictionary({ Title: textString(title), Producer: textString(producer) });

/** Characters that XML 1.0 has no form for. */
const noXml = /[^\t\n\r\x20-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu;
const references: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
};
const xml = (text: string) =>
  wellFormed(text)
    .replace(noXml, "\ufffd")
    .replace(/[&<>"]/g, (found) => references[found] as string);

const textOf = (name: string, text: string | undefined) =>
  text === undefined
    ? ""
    : `<${name}><rdf:Alt><rdf:li xml:lang="x-default">${xml(text)}</rdf:li></rdf:Alt></${name}>\n`;
const bagOf = (name: string, text: string | undefined) =>
  text === undefined ? "" : `<${name}><rdf:Bag><rdf:li>${xml(text)}</rdf:li></rdf:Bag></${name}>\n`;
const elementOf = (name: string, text: string | undefined) =>
  text === undefined ? "" : `<${name}>${xml(text)}</${name}>\n`;

/** Returns the packet, which says that the file follows the rules of PDF/A-2b. */
export function xmpOf({ title, publisher, rights, licence, source, language, producer }: PdfFacts): string {
  return `<?xpacket begin="\ufeff" id="W5M0MpCehiHzreSzNTczkc9d"?>
<x:xmpmeta xmlns:x="adobe:ns:meta/">
<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">
<rdf:Description rdf:about="" xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:pdf="http://ns.adobe.com/pdf/1.3/" xmlns:pdfaid="http://www.aiim.org/pdfa/ns/id/" xmlns:xmpRights="http://ns.adobe.com/xap/1.0/rights/">
<pdfaid:part>2</pdfaid:part>
<pdfaid:conformance>B</pdfaid:conformance>
<dc:format>application/pdf</dc:format>
${textOf("dc:title", title)}${textOf("dc:rights", rights)}${bagOf("dc:publisher", publisher)}${bagOf("dc:language", language)}${elementOf("dc:source", source)}${elementOf("xmpRights:WebStatement", licence)}${elementOf("pdf:Producer", producer)}</rdf:Description>
</rdf:RDF>
</x:xmpmeta>
<?xpacket end="r"?>`;
}
