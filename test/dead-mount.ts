// A dead mount: the kernel calls a file system in user space (FUSE) that never responds, so that every call
// on it hangs until the mount is ended. Needs root and a kernel with FUSE.

import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

export interface DeadMount {
  readonly path: string;
  /** Ends what hangs, each call with an error. */
  remove(): Promise<void>;
}

const script = `
import ctypes, os, sys
place = sys.argv[1].encode()
libc = ctypes.CDLL(None, use_errno=True)
device = os.open("/dev/fuse", os.O_RDWR)
options = f"fd={device},rootmode=40000,user_id=0,group_id=0".encode()
if libc.mount(b"dead", place, b"fuse", 0, options): sys.exit(1)
print("mounted", flush=True)
sys.stdin.read()
os.close(device)
libc.umount2(place, 2)
`;

/** Mounts it; undefined if this machine does not allow it. */
export async function mountDead(): Promise<DeadMount | undefined> {
  const path = mkdtempSync(join(tmpdir(), "smalti-dead-"));
  const holder = spawn("/usr/bin/python3", ["-c", script, path], { stdio: ["pipe", "pipe", "ignore"] });
  const ended = new Promise<void>((resolve) => {
    holder.once("close", () => resolve());
    holder.once("error", () => resolve());
  });
  const mounted = await Promise.race([
    new Promise<boolean>((resolve) => holder.stdout.once("data", () => resolve(true))),
    ended.then(() => false),
  ]);
  const remove = async () => {
    holder.stdin.end();
    await ended;
    rmSync(path, { recursive: true, force: true });
  };
  if (mounted) return { path, remove };
  await remove();
  return undefined;
}
