// Property tests by fast-check with one seed, so that every run tries the same cases; FAST_CHECK_SEED tries
// others.

import fc from "fast-check";

fc.configureGlobal({ seed: Number(process.env.FAST_CHECK_SEED ?? 1) });

export default fc;
