#!/usr/bin/env node
// Separates the packages that the race detector can check from those that it cannot: if nothing starts
// a second goroutine, in the package, in its tests or in our packages that they import, there can be no
// race, and the tests run many times faster without the detector. Anything that may start one counts,
// even if no test calls it.
//
// usage: go list -json ./... | node scripts/raced.mjs raced|alone
import fs from "node:fs";
import path from "node:path";

const starters = [
  /^\s*(?:defer\s+)?go\s+[\w(.]/m, // a statement
  /\b(?:AfterFunc|AddCleanup|SetFinalizer|RunParallel|Parallel)\(/,
  /\.Go\(/, // of a WaitGroup or an errgroup
  /\bsynctest\./,
];
// These call their arguments in goroutines of their own.
const libraries = /^(?:net|net\/(?:http|rpc|smtp)(?:\/.*)?|os\/signal|golang\.org\/x\/sync\/.*|github\.com\/(?:modelcontextprotocol|wailsapp|godbus|fsnotify)\/.*)$/;
// A process has a goroutine for each stream that is not a file.
const streams = /\.Std(?:in|out|err)\s*=|\bStd(?:in|out|err):|\bStd(?:in|out|err)Pipe\(/;

/** The objects of a text that holds one after the other, as `go list -json` prints them. */
const packages = new Map(
  fs
    .readFileSync(0, "utf8")
    .split(/^(?=\{)/m)
    .filter((text) => text.trim())
    .map((text) => JSON.parse(text))
    .map((p) => [p.ImportPath, p]),
);

function starts(p, files, imports) {
  if (imports.some((name) => libraries.test(name))) return true;
  const processes = imports.includes("os/exec");
  return files.some((name) => {
    const text = fs.readFileSync(path.join(p.Dir, name), "utf8");
    return starters.some((s) => s.test(text)) || (processes && streams.test(text));
  });
}

const known = new Map();
/** Whether a package of ours, or one that it imports, starts a goroutine. */
function raced(name) {
  if (!known.has(name)) {
    known.set(name, false);
    const p = packages.get(name);
    const imports = p?.Imports ?? [];
    known.set(name, p !== undefined && (starts(p, [...(p.GoFiles ?? []), ...(p.CgoFiles ?? [])], imports) || imports.some(raced)));
  }
  return known.get(name);
}

for (const [name, p] of packages) {
  const files = [...(p.TestGoFiles ?? []), ...(p.XTestGoFiles ?? [])];
  const imports = [...(p.TestImports ?? []), ...(p.XTestImports ?? [])];
  // What runs in the program, a process without the detector, is not seen by it.
  const outside = (p.XTestImports ?? []).includes("mutsumi/backend/cli/clitest");
  const two = !outside && (raced(name) || starts(p, files, imports) || imports.some(raced));
  if (two === (process.argv[2] === "raced")) console.log(name);
}
