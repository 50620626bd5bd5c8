// The picture of a summary: a notebook whose first cells were compacted, next to the list of the
// summary's omissions.
import { World } from "../frontend/e2e/lib/world.mjs";
import { Window } from "../frontend/e2e/window/window.mjs";

const questions = [
  "p99 of checkout rose to 380 ms in eu-west-1. Find out why. Never touch the public API of pricing.",
  "Is it the retry budget?",
  "Then look at the cache. 请先看 pricing/cache.go。",
  "Make the TTL a time.Duration, and try it.",
  "eu-west-1 first, the other regions next week.",
];
const answers = [
  "`internal/retry/budget.go` spends its budget after the latency rises, not before: `ErrBudgetSpent` is an effect.\n\n- [ ] Ask finance about half cents",
  "No. The first miss storm is 40 s older, see `docs/adr/0014-cache.md`.",
  "`evictLoop` holds the lock of 8192 entries at most for 31 ms.\n\n- [ ] 灰度发布前通知 SRE 值班",
  "`NewCache` keeps its signature; tests get `WithClock`. 112 tests of pricing/ pass.",
  "`deploy/canary.yaml` names eu-west-1 alone now.\n\n- [ ] Remove the debug line in evict",
];
const summary = `## Goal
p99 of checkout back under 240 ms in eu-west-1, without a larger cache.

## Decisions
- TTLs are \`time.Duration\` everywhere; a bare number must not compile.
- \`NewCache\` keeps its signature; tests get \`WithClock\`.

## Files
- \`pricing/cache.go\`: duration, clock, grace
- \`internal/retry/budget.go\`: read, not the cause

## State
112 tests of pricing/ pass. Load test on staging: p99 251 ms at 900 rps, 11 ms over.

## Next
- [ ] Load test again with the fixtures written anew.

## Your words
> Never touch the public API of pricing.

> eu-west-1 first, the other regions next week.`;

function notebook() {
  const command = (i, text, status) => [
    { role: "assistant", content: null, tool_calls: [{ id: `call_${i}`, type: "function", function: { name: "shell", arguments: JSON.stringify({ command: text }) } }] },
    { role: "tool", tool_call_id: `call_${i}`, name: "shell", content: `exit status ${status}`, metadata: { is_error: status > 0, facts: { exit: status } } },
  ];
  const context = questions.flatMap((content, i) => [
    { role: "user", content, metadata: { cell_id: `c${i + 1}` } },
    ...(i === 3 ? command(i, "go test -race ./...", 2) : []),
    { role: "assistant", content: answers[i] },
  ]);
  const covers = questions.map((_, i) => `c${i + 1}`);
  const compaction = { covers, before: 61240, after: 310, atMs: Date.now() - 7_200_000, trigger: "hand", model: "gpt-5.1-mini", tookMs: 9400, requests: 1, rewritten: 18200, once: 0.11, eachTurn: 0.05 };
  context.push({ role: "user", content: summary, is_internal: true, metadata: { cell_id: "s1", compaction } });
  context.push({ role: "user", content: "Which of the nine callers did we leave as they are, and why?", metadata: { cell_id: "c6" } });
  const metadata = { uuid: "cccccccc-0000-4000-8000-000000000014", name: "Checkout latency regression", created_at: "2026-07-01T09:00:00Z", parent_agent_id: null, allowed_uris: ["."] };
  return JSON.stringify({ metadata, context }, null, 2);
}

/** Takes the picture into a file. */
export async function summaryPicture(file) {
  const world = new World({ ".mutsumi/checkout.mtm": notebook() });
  const window = await Window.open(undefined, world);
  await window.firstFrame();
  await window.driver.run(() => document.fonts.ready.then(() => true));
  await window.driver.until(() => document.querySelector("[role=treeitem]") !== null, "the agents");
  await window.driver.run(() => document.querySelector('[role=treeitem][aria-label^="Checkout"]').click());
  await window.driver.until(() => {
    const lost = [...document.querySelectorAll("button")].find((b) => b.textContent.includes("not in it"));
    lost?.click();
    return lost !== undefined;
  }, "what is left out");
  await window.driver.until(() => document.body.textContent.includes("Open to-dos"), "the list");
  await window.waitIdle();
  await window.driver.screenshot(file);
  await window.driver.stop();
  world.remove();
}
