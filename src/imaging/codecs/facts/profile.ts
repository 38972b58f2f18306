// Description of a file's embedded profile, for people who may not know about colour.

export { describeProfile, type ProfileDescription } from "../../colour/description.ts";
