// Loaded into a server by --import: says which functions of the main thread ran since it was asked last.

import { Session } from "node:inspector";

const session = new Session();
session.connect();
const post = (method, params) =>
  new Promise((resolve, reject) =>
    session.post(method, params, (error, result) => (error ? reject(error) : resolve(result))),
  );

await post("Profiler.enable");
await post("Profiler.startPreciseCoverage", { callCount: true, detailed: false });

process.on("message", async () => {
  const { result } = await post("Profiler.takePreciseCoverage");
  process.send(
    result
      .filter(({ url }) => url.startsWith("file:"))
      .map(({ url, functions }) => ({
        url,
        ran: functions
          .filter(({ ranges: [own] }) => own.count > 0)
          .map(({ functionName, ranges: [own] }) => ({
            name: functionName,
            offset: own.startOffset,
            calls: own.count,
          })),
      }))
      .filter(({ ran }) => ran.length > 0),
  );
});
