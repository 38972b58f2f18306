// The keeper of instances, under the name by which parts of a format find it beside their decoder.

export { asServiceError, keptInstance } from "../instance.ts";
