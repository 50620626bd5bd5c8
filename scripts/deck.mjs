// The picture of the flight deck: three working children of one agent in the real window, with a
// model that this script plays.
import fs from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { Paced } from "../frontend/e2e/lib/provider.mjs";
import { notebookText, World } from "../frontend/e2e/lib/world.mjs";
import { keys } from "../frontend/e2e/window/driver.mjs";
import { Window } from "../frontend/e2e/window/window.mjs";

const children = [
  { name: "Profile the hot path", prompt: "Find what is slow in checkout.go. Change nothing.", kind: "reviewer" },
  { name: "Rewrite cart pricing cache", prompt: "Make the pricing cache of cart.go hold prices by region." },
  { name: "Migrate fixtures", prompt: "Bring the fixtures in testdata up to the new prices." },
];

const lastPrompt = (exchange) => JSON.stringify(exchange.body.messages.findLast((m) => m.role === "user")?.content ?? "");

/** Writes the picture to a file; `before` gets the window once the card of the fork is visible. */
export async function deckPicture(file, { theme = "dark", before } = {}) {
  const provider = await Paced.start({ model: "local-model" });
  const world = new World({
    "checkout.go": "package payments\n", "cart.go": "package payments\n\nvar prices = map[string]int{}\n",
    ".mutsumi/parent.mtm": notebookText("Checkout latency regression", [["Checkout got slow on Tuesday. Find out why and mend it."]]),
    ".mutsumi/other.mtm": notebookText("API naming questions", [["Is it an order or a purchase?", "An order."]], { created_at: "2026-07-01T09:00:00Z" }),
  });
  fs.writeFileSync(world.path("config", "settings.yaml"), `preferences:\n  theme: ${theme}\n`);
  const window = await Window.open(undefined, world, { env: provider.env });
  try {
    await window.firstFrame();
    await window.driver.until(() => document.querySelector('[role=treeitem][aria-label^="Checkout"]') !== null, "the agents");
    await window.driver.run(() => document.querySelector('[role=treeitem][aria-label^="Checkout"]').click());
    await window.driver.until(() => document.querySelectorAll("article.cell .prompt").length >= 1, "the cells");
    await window.driver.until(() => {
      const button = document.querySelector('button[aria-label^="Run cell 1"]');
      button?.click();
      return button !== null;
    }, "the first prompt");
    const parent = await provider.next();
    parent.reasoning("Where is the time spent?");
    await sleep(2500);
    parent.text("I look at the code, then split the work.");
    parent.call("grep", { pattern: "prices" });
    parent.end({ input: 2100, cached: 1400, output: 90 });
    const split = await provider.next();
    split.text("Three parts that do not need each other.");
    await sleep(1500);
    split.call("self_fork", { children });
    split.end({ input: 2600, cached: 2100, output: 240 });
    await window.driver.until(() => [...document.querySelectorAll("button")].some((b) => /^Start 3/.test(b.textContent.trim())), "the card");
    await before?.(window);
    await sleep(1500); // a new card ignores clicks at first: they could be meant for what was there before
    await window.driver.click(() => [...document.querySelectorAll("button")].find((b) => b.textContent.trim() === "Start 3 agents"));
    const asked = [await provider.next(), await provider.next(), await provider.next()];
    const of = (words) => asked.find((e) => lastPrompt(e).includes(words));
    await window.driver.press([keys.control, keys.shift, "d"]);
    const [profile, rewrite, migrate] = [of("Find what is slow"), of("Make the pricing cache"), of("Bring the fixtures")];
    for (const e of [profile, rewrite, migrate]) e.text("Let me look.");
    await sleep(2500);
    profile.call("read_file", { uri: "checkout.go" });
    profile.end({ input: 1800, cached: 900, output: 60 });
    rewrite.call("read_file", { uri: "cart.go" });
    rewrite.end({ input: 1900, cached: 900, output: 70 });
    const second = [await provider.next(), await provider.next()];
    const [found, write] = [second.find((e) => JSON.stringify(e.body.messages).includes("Find what is slow")), second.find((e) => JSON.stringify(e.body.messages).includes("Make the pricing cache"))];
    found.text("The cache is emptied for each item.");
    write.text("One map per region.");
    await sleep(3000);
    found.call("task_finish", { summary: "Every item empties the cache: cart.go:3." });
    found.end({ input: 2400, cached: 1800, output: 120 });
    migrate.call("shell", { command: "go test ./... -run Fixtures -update" });
    migrate.end({ input: 1700, cached: 900, output: 40 });
    await sleep(2500);
    write.text(" Writing it now.");
    await sleep(3500);
    await window.driver.screenshot(file);
  } finally {
    await window.driver.stop();
    world.remove();
    await provider.stop();
  }
}
