// The package's code around the module "jxl-encode", loaded with it.

export { default } from "@jsquash/jxl/codec/enc/jxl_enc.js";
