// An instance of PDFium: its imports, which open no file, and a limit for its memory.

import { ImagingError } from "../../../../base/index.ts";

type Calls<Names extends string> = Readonly<Record<Names, (...args: number[]) => number>>;

/** Exported functions that are in use. Pointers are offsets in `memory`; documents and pages are pointers. */
export type PdfiumExports = Calls<
  | "malloc"
  | "free"
  | "FPDF_LoadMemDocument64"
  | "FPDF_GetLastError"
  | "FPDF_LoadPage"
  | "FPDF_ClosePage"
  | "FPDF_GetPageWidthF"
  | "FPDF_GetPageHeightF"
  | "FPDFBitmap_CreateEx"
  | "FPDFBitmap_FillRect"
  | "FPDFBitmap_Destroy"
  | "FPDF_RenderPageBitmapWithMatrix"
  | "FPDF_PageToDevice"
  | "FPDFText_LoadPage"
  | "FPDFText_ClosePage"
  | "FPDFText_CountChars"
  | "FPDFText_GetUnicode"
  | "FPDFText_GetLooseCharBox"
> & { readonly memory: WebAssembly.Memory };

/** Exported functions that run it. */
type Runtime = Calls<"emscripten_stack_get_current" | "_emscripten_stack_restore" | "setThrew"> & {
  readonly memory: WebAssembly.Memory;
  readonly __indirect_function_table: WebAssembly.Table;
  emscripten_stack_init(): void;
  __wasm_call_ctors(): void;
  FPDF_InitLibrary(): void;
};

const pageBytes = 64 * 1024;
/** Thrown by PDFium's `longjmp`, and caught by the call that has set its target. */
const jump = Number.POSITIVE_INFINITY;
/** Error number of a system call that does not exist, negative as the C library expects it. */
const [noSuchCall, noSuchFile] = [-52, -44];

/** Bytes to which the memory of an instance may grow; more throws ImagingError `too-large`. */
export interface MemoryLimit {
  bytes: number;
}

export function createPdfium(module: WebAssembly.Module, limit: MemoryLimit): PdfiumExports {
  let runtime: Runtime | undefined;
  const call = (index: number, args: number[]) => {
    const { emscripten_stack_get_current, _emscripten_stack_restore, setThrew } = runtime!;
    const stack = emscripten_stack_get_current();
    try {
      return runtime!.__indirect_function_table.get(index)(...args) as number;
    } catch (error) {
      _emscripten_stack_restore(stack);
      if (error !== jump) throw error;
      setThrew(1, 0);
      return 0;
    }
  };
  const grow = (bytes: number): number => {
    const { memory } = runtime!;
    const wanted = Math.ceil(((bytes >>> 0) - memory.buffer.byteLength) / pageBytes);
    if (bytes >>> 0 > limit.bytes) throw tooLarge(limit.bytes);
    try {
      memory.grow(Math.max(1, wanted));
      return 1;
    } catch (error) {
      throw tooLarge(limit.bytes, error);
    }
  };
  const known: Readonly<Record<string, (...args: number[]) => number>> = {
    emscripten_resize_heap: grow,
    emscripten_date_now: () => 0,
    _emscripten_memcpy_js(to = 0, from = 0, length = 0) {
      new Uint8Array(runtime!.memory.buffer).copyWithin(to, from, from + length);
      return 0;
    },
    _emscripten_throw_longjmp() {
      throw jump;
    },
    __syscall_openat: () => noSuchFile,
    // No environment.
    environ_sizes_get(count = 0, size = 0) {
      const view = new DataView(runtime!.memory.buffer);
      view.setUint32(count, 0, true);
      view.setUint32(size, 0, true);
      return 0;
    },
    environ_get: () => 0,
  };
  const imports: Record<string, Record<string, WebAssembly.ImportValue>> = {};
  for (const { module: space, name } of WebAssembly.Module.imports(module)) {
    const stop = () => {
      throw new Error(`PDFium called ${name}.`);
    };
    imports[space] ??= {};
    imports[space][name] = name.startsWith("invoke_")
      ? (index: number, ...args: number[]) => call(index, args)
      : (known[name] ?? (name === "_abort_js" || name === "__assert_fail" ? stop : () => noSuchCall));
  }
  const { exports } = new WebAssembly.Instance(module, imports);
  runtime = exports as unknown as Runtime;
  runtime.emscripten_stack_init();
  runtime.__wasm_call_ctors();
  runtime.FPDF_InitLibrary();
  return exports as unknown as PdfiumExports;
}

const tooLarge = (limit: number, cause?: unknown) =>
  new ImagingError("too-large", `This page of a PDF needs more than the ${limit} bytes that it may take.`, {
    code: "memory_budget",
    cause,
  });
