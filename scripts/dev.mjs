#!/usr/bin/env node
// Starts `mutsumi serve` on a folder and Vite's development server in front of
// it. The program lets only its own page in, with a token; Vite's proxy carries
// that token and origin, so that the page it serves may be at Vite's address.
//
// usage: node scripts/dev.mjs FOLDER
import { spawn } from "node:child_process";
import path from "node:path";
import { createRequire } from "node:module";
import { fileURLToPath, pathToFileURL } from "node:url";

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), "..");
const program = spawn(path.join(root, "bin", "mutsumi-plain"), ["serve", path.resolve(process.argv[2]), "--listen", "127.0.0.1:0"], { stdio: ["ignore", "pipe", "inherit"] });
program.on("exit", (code) => process.exit(code ?? 1));
for (const signal of ["SIGINT", "SIGTERM"]) process.on(signal, () => program.kill(signal));

const address = await new Promise((done) => {
  let printed = "";
  program.stdout.setEncoding("utf8").on("data", (text) => {
    printed += text;
    const found = printed.match(/http:\/\/\S+#token=\S+/);
    if (found) done(new URL(found[0]));
  });
});
const entered = await fetch(new URL("/api/session", address), { method: "POST", body: JSON.stringify({ token: address.hash.slice("#token=".length) }) });
const authorization = `Bearer ${(await entered.json()).session}`;

process.chdir(path.join(root, "frontend"));
const require = createRequire(path.join(root, "frontend", "package.json"));
const { createServer } = await import(pathToFileURL(path.join(path.dirname(require.resolve("vite/package.json")), "dist/node/index.js")));
const server = await createServer({
  server: { proxy: { "/api": { target: address.origin, changeOrigin: true, headers: { origin: address.origin, authorization } } } },
});
await server.listen();
server.printUrls();
