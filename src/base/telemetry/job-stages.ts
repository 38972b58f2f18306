// Stages of a render, as reported to a caller that measures them.

/** Stages of a job, in the order of most jobs. */
export const jobStages = ["read", "index", "decode", "steps", "encode"] as const;

export type JobStage = (typeof jobStages)[number];

/** Receives the current stage of a job. */
export interface JobStages {
  /** Reports that the job enters this stage. */
  enter(stage: JobStage): void;
}
