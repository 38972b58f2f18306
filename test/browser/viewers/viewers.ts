// The viewers that are tried: as published and with the shims, both on another origin than the images, and in
// /view.

import type { Page } from "playwright-core";
import type { ViewerSite } from "./served.ts";

interface Place {
  readonly site: ViewerSite;
  /** Origin of the images. */
  readonly images: string;
  /** Name of a folder of images. */
  readonly name: string;
}

export interface Viewer {
  /** Name of its column in the table. */
  readonly name: string;
  /** Returns the address of its page for the manifest of a folder of images. */
  address(place: Place): string;
  /** Does in the viewer what opens its window for a login. */
  ask(page: Page): Promise<void>;
  turn(page: Page): Promise<void>;
}

const mirador: Pick<Viewer, "ask" | "turn"> = {
  async ask(page) {
    await page.getByText("Continue", { exact: true }).click();
    await page.getByRole("button", { name: "Let me in" }).click();
  },
  turn: (page) => page.getByRole("button", { name: "Next item" }).click(),
};

const uv: Pick<Viewer, "ask" | "turn"> = {
  ask: (page) => page.getByText("Let me in").filter({ visible: true }).click(),
  turn: (page) => page.locator("button.next").filter({ visible: true }).first().click(),
};

const on =
  (page: string): Viewer["address"] =>
  ({ site, name }) =>
    site.page(page, name);
const inView =
  (viewer: string): Viewer["address"] =>
  ({ images, name }) =>
    `${images}/view/${name}?viewer=${viewer}`;

export const viewers: readonly Viewer[] = [
  { name: "Mirador", address: on("stock-mirador"), ...mirador },
  { name: "UV", address: on("stock-uv"), ...uv },
  { name: "Mirador, shims", address: on("mirador"), ...mirador },
  { name: "UV, shims", address: on("uv"), ...uv },
  { name: "/view, Mirador", address: inView("mirador"), ...mirador },
  { name: "/view, UV", address: inView("uv"), ...uv },
];
