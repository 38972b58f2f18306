// Runs command lines of the built program one by one in this process, each in a new copy of its entry:
// reading app.js takes longer than most commands. A parent process sends them; see `command` in built.ts.

import { AsyncLocalStorage } from "node:async_hooks";
import { Readable, Writable } from "node:stream";
import { pathToFileURL } from "node:url";

const main = process.argv[2];
const program = new URL("program.js", pathToFileURL(main));

/** The command line that a call belongs to: what one leaves behind may not write for the next. */
const lines = new AsyncLocalStorage();
const ended = new Error("the command line has ended");

for (const name of ["stdin", "stdout", "stderr"]) {
  const { get } = Object.getOwnPropertyDescriptor(process, name);
  Object.defineProperty(process, name, { get: () => lines.getStore()?.[name] ?? get.call(process) });
}

process.exit = (code) => {
  lines.getStore()?.end(code);
  throw ended; // as an exit does, ends the call
};
// The program ends itself by a signal if threads hang, after it has said so.
const { kill } = process;
process.kill = (pid, signal) => {
  if (pid !== process.pid) return kill.call(process, pid, signal);
  lines.getStore()?.end(null);
  throw ended;
};
process.on("uncaughtException", (error) => {
  if (error === ended) return;
  console.error(error);
  process.reallyExit(1);
});

function collected() {
  const parts = [];
  const write = (part, _, done) => done(void parts.push(part));
  return { stream: new Writable({ write }), text: () => Buffer.concat(parts).toString() };
}

let count = 0;
process.on("message", async ({ args, cwd, env, input }) => {
  for (const name of Object.keys(process.env)) delete process.env[name];
  Object.assign(process.env, env);
  process.chdir(cwd);
  process.argv = [process.execPath, main, ...args];
  const [out, err] = [collected(), collected()];
  const stdin = Readable.from(input === undefined ? [] : [Buffer.from(input)]);
  const code = await new Promise((end) => {
    const line = { stdin, stdout: out.stream, stderr: err.stream, end };
    lines.run(line, () => import(`${program}?${count++}`));
  });
  for (const name of ["SIGINT", "SIGTERM", "SIGHUP", "exit", "uncaughtExceptionMonitor"])
    process.removeAllListeners(name);
  process.send({ code, out: out.text(), err: err.text() });
});
