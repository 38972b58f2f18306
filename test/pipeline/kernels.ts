// The kernels that production runs steps on.

import { createKernels } from "../../src/codecs/run/kernels.ts";
import { testHost } from "../host.ts";

export const kernels = createKernels(testHost);
