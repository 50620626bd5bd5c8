#!/usr/bin/env node
// Takes the pictures of the documentation from the real window: a copy of the
// sample, its first two prompts run with the built-in offline model, once light
// and once dark, and the preview of the next one. scripts/screenshots.sh builds the program and runs it under Xvfb.
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { deckPicture } from "./deck.mjs";
import { branchesPicture } from "./branches.mjs";
import { summaryPicture } from "./summary.mjs";
import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { binary, notebookText, World } from "../frontend/e2e/lib/world.mjs";
import { keys } from "../frontend/e2e/window/driver.mjs";
import { Window } from "../frontend/e2e/window/window.mjs";

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), "..");
const docs = path.join(root, "docs");
fs.mkdirSync(docs, { recursive: true });

for (const theme of ["light", "dark"]) {
  const world = new World();
  // The path is in the picture: use one that reveals nothing about this machine.
  world.folder = path.join(os.tmpdir(), "school-garden");
  if (fs.existsSync(world.folder)) throw new Error(`${world.folder} is in the way: move it elsewhere`);
  execFileSync(binary, ["sample", world.folder], { env: world.env() });
  fs.writeFileSync(world.path("config", "settings.yaml"), `preferences:\n  theme: ${theme}\n`);
  const season = JSON.parse(world.read(".mutsumi/welcome.mtm")).metadata.uuid;
  world.write(".mutsumi/season.mtm", notebookText("Plan the next season", [["What is left to do?", "Three things stand open in `notes/season.md`."]], { created_at: "2026-07-01T09:00:00Z" }));
  world.write(".mutsumi/barrel.mtm", notebookText("Is a third barrel worth it?", [], { parent_agent_id: season, created_at: "2026-07-01T09:10:00Z" }));

  const window = await Window.open(undefined, world);
  await window.firstFrame();
  await window.driver.run(() => document.fonts.ready.then(() => true));
  await window.driver.until(() => document.querySelector("[role=treeitem]") !== null, "the agents");
  // Its notebooks may call tools, so the person is asked once whether to trust the folder.
  await window.driver.until(() => {
    const trust = [...document.querySelectorAll("button")].find((b) => b.textContent.trim() === "Trust this folder");
    trust?.click();
    return trust !== undefined;
  }, "the question whether to trust the folder");
  await window.driver.run(() => document.querySelector('[role=treeitem][aria-label^="Welcome,"]').click());
  await window.driver.until(() => document.querySelectorAll("article.cell .prompt").length >= 3, "the cells");
  await window.driver.run(() => document.querySelector('button[aria-label="Show the context"]').click()); // the pointer stays away
  for (const cell of [2, 3]) {
    await window.driver.until((n) => {
      const button = document.querySelector(`button[aria-label^="Run cell ${n}"]`);
      button?.click();
      return button !== null;
    }, `cell ${cell}`, cell);
    await window.waitIdle();
  }
  await window.driver.run(() => document.querySelector('article.cell[aria-label="Cell 3"]')?.scrollIntoView({ block: "start" }));
  await window.waitIdle();
  await window.driver.screenshot(path.join(docs, `${theme}.png`));
  if (theme === "light") {
    await window.driver.run(() => document.querySelector('article.cell[aria-label="Cell 4"] .prompt').click());
    await window.driver.press([keys.control, keys.shift, "p"]);
    await window.driver.until(() => [...document.querySelectorAll("button")].some((b) => b.textContent.trim() === "Send"), "the preview");
    await window.waitIdle();
    await window.driver.screenshot(path.join(docs, "preview.png"));
    console.log("docs/preview.png");
    await window.driver.press([keys.escape]);
    await window.driver.until(() => ![...document.querySelectorAll("button")].some((b) => b.textContent.trim() === "Send"), "the preview to close");

    await window.driver.press([keys.control, "k"]);
    await window.driver.until(() => document.activeElement?.closest("dialog"), "the palette");
    await window.driver.press("mo");
    await window.driver.until(() => document.querySelectorAll("dialog [role=option]").length > 3, "what it finds");
    await window.waitIdle();
    await window.driver.screenshot(path.join(docs, "palette.png"));
    console.log("docs/palette.png");
    await window.driver.press([keys.escape]);
    await window.driver.until(() => document.querySelector("dialog[open]") === null, "the palette to close");

    await window.driver.press([keys.control, "h"]);
    await window.driver.until(() => document.activeElement?.getAttribute("aria-label") === "Find", "the search");
    await window.driver.press("water");
    await window.driver.until(() => / of [1-9]/.test(document.querySelector(".find-line .count")?.textContent ?? ""), "matches");
    await window.waitIdle();
    await window.driver.screenshot(path.join(docs, "find.png"));
    console.log("docs/find.png");
  }
  await window.driver.stop();
  world.remove();
  fs.rmSync(world.folder, { recursive: true, force: true });
  console.log(`docs/${theme}.png`);
}

await deckPicture(path.join(docs, "deck.png"));
console.log("docs/deck.png");
await summaryPicture(path.join(docs, "summary.png"));
console.log("docs/summary.png");
await branchesPicture(path.join(docs, "branches.png"));
console.log("docs/branches.png");
