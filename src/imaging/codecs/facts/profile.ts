// What the embedded profile of a file says of itself, for those who may not know about colour.

export { describeProfile, type ProfileDescription } from "../../colour/description.ts";
