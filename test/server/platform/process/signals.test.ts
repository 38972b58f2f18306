// Which signals reload and stop the program on each system.

import { expect, test } from "vitest";
import { signalsOf } from "../../../../src/server/platform/process/process.ts";

test("SIGHUP reloads, except on Windows, where it says that the window is closed", () => {
  for (const system of ["linux", "darwin", "freebsd"])
    expect(signalsOf(system)).toEqual({ reload: ["SIGHUP"], stop: ["SIGTERM", "SIGINT"] });
  const { reload, stop } = signalsOf("win32");
  expect(reload).toEqual([]);
  expect(stop).toEqual(expect.arrayContaining(["SIGINT", "SIGTERM", "SIGBREAK", "SIGHUP"]));
});
