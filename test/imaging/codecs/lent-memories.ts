// Watches the memories that WebAssembly modules get from their host.

import { onTestFinished } from "vitest";

/** Returns a function that reports the bytes of the largest memory that was lent since its last call. */
export function lentMemories(): () => number {
  const { Memory } = WebAssembly;
  let lent: WebAssembly.Memory[] = [];
  WebAssembly.Memory = class extends Memory {
    constructor(descriptor: WebAssembly.MemoryDescriptor) {
      super(descriptor);
      lent.push(this);
    }
  };
  onTestFinished(() => {
    WebAssembly.Memory = Memory;
  });
  return () => {
    const largest = Math.max(0, ...lent.map(({ buffer }) => buffer.byteLength));
    lent = [];
    return largest;
  };
}
