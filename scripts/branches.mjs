// The picture of the branch lab: one prompt, answered by three models.
import { familyFiles } from "../frontend/e2e/lib/family.mjs";
import { World } from "../frontend/e2e/lib/world.mjs";
import { Window } from "../frontend/e2e/window/window.mjs";

/** Takes the picture into a file. */
export async function branchesPicture(file) {
  const world = new World(familyFiles);
  const window = await Window.open(undefined, world);
  await window.firstFrame();
  await window.driver.run(() => document.fonts.ready.then(() => true));
  await window.driver.until(() => document.querySelectorAll("[role=treeitem]").length > 2, "the agents");
  await window.driver.run(() => document.querySelector('[role=treeitem][aria-label^="Checkout latency regression"]').click());
  await window.driver.until(() => document.querySelectorAll("article.cell").length > 3, "the cells");
  await window.driver.until(() => {
    if (document.querySelector("thead th.at")) return true;
    dispatchEvent(new KeyboardEvent("keydown", { key: "B", code: "KeyB", ctrlKey: true, shiftKey: true, bubbles: true }));
    return false;
  }, "the comparison");
  await window.driver.run(() => new Promise((done) => setTimeout(() => done(true), 500)));
  await window.driver.screenshot(file);
  await window.driver.stop();
  world.remove();
}
