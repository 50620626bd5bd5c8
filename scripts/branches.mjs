// The picture of a notebook and its fork side by side.
import { World } from "../frontend/e2e/lib/world.mjs";
import { Window } from "../frontend/e2e/window/window.mjs";

const origin = "cccccccc-0000-4000-8000-000000000021";

/** A cell that ran: its prompt, its answer, and what both cost. */
function cell(i, prompt, answer, { input, cached, seconds }) {
  const run = { started_at: "2026-07-01T09:00:00.000Z", took_ms: seconds * 1000, model: "gpt-5.1", outcome: "done", usage: { input, cached, output: 900 + 40 * i }, requests: 3 };
  return [
    { role: "user", content: prompt, metadata: { cell_id: `c${i}`, run } },
    { role: "assistant", content: null, tool_calls: [{ id: `call_${i}`, type: "function", function: { name: "edit_file", arguments: JSON.stringify({ uri: `pricing/${["cache", "cart", "rates"][i % 3]}.go`, old_string: "ttl int64", new_string: "ttl time.Duration" }) } }] },
    { role: "tool", tool_call_id: `call_${i}`, name: "edit_file", content: "ok", metadata: { facts: { added: 12 + i, removed: 3 } } },
    { role: "assistant", content: answer },
  ];
}

function notebook(metadata, cells) {
  const common = { created_at: "2026-07-01T09:00:00Z", parent_agent_id: null, allowed_uris: ["."] };
  return JSON.stringify({ metadata: { ...common, ...metadata }, context: cells.flat() }, null, 2);
}

const begin = [
  cell(1, "p99 of checkout rose to 380 ms in eu-west-1. Find out why.", "The first miss storm is 40 s older than the retries: the cache is the cause.", { input: 14_204, cached: 9_000, seconds: 84 }),
  cell(2, "Make the TTL a time.Duration everywhere.", "Both types are durations now, and a bare number no longer compiles.", { input: 18_100, cached: 14_000, seconds: 122 }),
];

/** Takes the picture into a file. */
export async function branchesPicture(file) {
  const world = new World({
    ".mutsumi/latency.mtm": notebook({ uuid: origin, name: "Checkout latency" }, [
      ...begin,
      cell(3, "Prove with the load test that p99 is back under 240 ms.", "p99 is 231 ms at 900 rps, three times in a row. `NewCache` keeps its signature.", { input: 24_800, cached: 20_100, seconds: 252 }),
    ]),
    ".mutsumi/clock.mtm": notebook({ uuid: "cccccccc-0000-4000-8000-000000000022", name: "Checkout latency, with a clock", mutsumi_forked_from: { uuid: origin, cell: "c2", messages: 8, at: "2026-07-01T10:00:00Z" } }, [
      ...begin,
      cell(4, "Move the clock into the cache, so that tests need no sleep.", "The clock is in the cache. `fx/rates.go` read its number from the environment; it gets a duration now.", { input: 41_300, cached: 38_000, seconds: 197 }),
      cell(5, "灰度发布前再跑一次压测。", "p99 是 226 毫秒，900 rps，连续三次。", { input: 44_900, cached: 41_800, seconds: 210 }),
    ]),
  });
  const window = await Window.open(undefined, world);
  await window.firstFrame();
  await window.driver.run(() => document.fonts.ready.then(() => true));
  await window.driver.until(() => document.querySelectorAll("[role=treeitem]").length > 1, "the agents");
  await window.driver.run(() => document.querySelector('[role=treeitem][aria-label^="Checkout latency,"]').click());
  await window.driver.until(() => document.querySelectorAll("article.cell").length > 2, "the cells");
  await window.driver.until(() => {
    const dialog = document.querySelector("dialog");
    if (dialog) return dialog.textContent.includes("cells of both are the same");
    dispatchEvent(new KeyboardEvent("keydown", { key: "B", code: "KeyB", ctrlKey: true, shiftKey: true, bubbles: true }));
    return false;
  }, "the comparison");
  await window.waitIdle();
  await window.driver.screenshot(file);
  await window.driver.stop();
  world.remove();
}
