// The kernels that production runs steps on.

import { createKernels } from "../../../src/imaging/render/kernels.ts";
import { testHost } from "../../host.ts";

export const kernels = createKernels(testHost);
