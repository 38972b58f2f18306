// The stages of a render, as it names them to whoever measures it.

/** The stages of a job, in the order in which most jobs go through them. */
export const jobStages = ["read", "index", "decode", "steps", "encode"] as const;

export type JobStage = (typeof jobStages)[number];

/** A job says here where it is. */
export interface JobStages {
  /** The job goes on with this stage. */
  enter(stage: JobStage): void;
}
