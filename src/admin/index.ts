// The door of admin/: what other houses use of it.

// The configuration file that the service was started with.
export { createConfigFile } from "./editing/file.ts";

// The pages of the operator under /admin/, mounted only if the environment names the operator.
export { mountAdmin } from "./routes.ts";
