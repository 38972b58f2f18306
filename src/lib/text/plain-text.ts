// Texts of manifests as plain text.

export { plainText } from "../../iiif/presentation/plain-text.ts";
