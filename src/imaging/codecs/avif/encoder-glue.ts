// The package's code around the module "avif-encode", loaded with it.

export { default } from "@jsquash/avif/codec/enc/avif_enc.js";
