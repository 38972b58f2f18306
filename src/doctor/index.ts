// The door of doctor/: what other houses use of it.

// The image doctor.
export { diagnose } from "./image/diagnose.ts";

// A diagnosis of one image.
export type { CostRow, Diagnosis, FactValue, LatestRow, Section } from "./image/diagnosis.ts";

// Commands that findings advise, and how names of files get into them.
export { baseName, type NameCommands } from "./image/findings/commands.ts";

// Input of the login doctor, from the configuration or from the operator.
export { examineLogins, loopbackClient, ownAddress, viewerOrigin } from "./login/question.ts";

// Chooses the images for the doctor.
export { NothingToExamine } from "./login/targets.ts";

// Finds rules that match no listed image, by listing the sources.
export { unmatchedRows, unmatchedRules } from "./login/unmatched-rules.ts";

// A survey of a collection.
export { type SurveyGroup, type SurveyReport, survey } from "./survey/survey.ts";
