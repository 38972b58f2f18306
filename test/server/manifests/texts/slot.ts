// A slot for tests of texts.

/** A slot in a map, whose keys are the name and the variant of each entry. */
export function slotInMemory() {
  const values = new Map<string, Uint8Array>();
  return {
    values,
    get: async (name: string, variant: string) => values.get(`${name} ${variant}`),
    put: (name: string, variant: string, value: Uint8Array) => void values.set(`${name} ${variant}`, value),
  };
}
