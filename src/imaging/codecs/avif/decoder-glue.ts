// The package's code around the module "avif-decode", loaded with it.

export { default } from "@jsquash/avif/codec/dec/avif_dec.js";
