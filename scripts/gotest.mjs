#!/usr/bin/env node
// Reads `go test -json` on standard input, prints failures, writes "passed failed skipped" to the
// given file and exits 1 if anything failed.
//
// usage: go test -json ./... | node scripts/gotest.mjs COUNTS
import fs from "node:fs";
import readline from "node:readline";

const output = new Map(); // of a test or package that has not ended yet
const count = { pass: 0, fail: 0, skip: 0 };
const slow = [];
let broken = 0;

for await (const line of readline.createInterface({ input: process.stdin })) {
  let event;
  try {
    event = JSON.parse(line);
  } catch {
    console.log(line); // go itself speaks: a package that does not build, a bad flag
    continue;
  }
  const key = `${event.Package ?? event.ImportPath} ${event.Test ?? ""}`;
  if (event.Action === "output" || event.Action === "build-output") {
    output.set(key, (output.get(key) ?? "") + event.Output);
  } else if (event.Action === "build-fail") {
    console.log(output.get(key) ?? "");
    broken++;
  } else if (event.Action in count) {
    if (event.Test) count[event.Action]++;
    else if (event.Action === "fail") broken++;
    if (event.Action === "fail") console.log(`--- ${key}\n${output.get(key) ?? ""}`);
    else if (!event.Test && event.Elapsed > 20) slow.push(`${event.Package.replace("mutsumi/", "")} ${Math.round(event.Elapsed)} s`);
    output.delete(key);
    // Of tests that had not ended, a package that does tells where they were.
    if (event.Test || event.Action !== "fail") continue;
    for (const [unfinished, text] of output)
      if (unfinished.startsWith(`${event.Package} `)) {
        console.log(`--- ${unfinished}, not ended\n${text}`);
        output.delete(unfinished);
      }
  }
}
// A package can fail without a test that does: it did not build, or it panicked outside.
const failed = Math.max(count.fail, broken > 0 ? 1 : 0);
fs.writeFileSync(process.argv[2], `${count.pass} ${failed} ${count.skip}`);
if (count.pass + failed === 0) {
  console.log("no test ran");
  process.exit(1);
}
console.log(`summary: ${count.pass} tests${count.skip ? `, ${count.skip} skipped` : ""}${slow.length ? ` (slow: ${slow.join(", ")})` : ""}`);
process.exit(failed > 0 ? 1 : 0);
