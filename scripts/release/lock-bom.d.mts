// Types of lock-bom.mjs, for the tests.

/** The parts of a bill of materials that are changed here. */
export interface Bom {
  readonly serialNumber?: string;
  readonly metadata: { readonly timestamp?: string; readonly component: BomComponent };
  readonly components: readonly BomComponent[];
}

export interface BomComponent {
  readonly name: string;
  readonly purl: string;
  readonly externalReferences?: readonly { readonly type: string; readonly url: string }[];
}

export function lockBom(root: string): Bom;
export function portableBom(bom: Bom, time: Date): Bom;
