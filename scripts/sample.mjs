#!/usr/bin/env node
// Copies assets/sample to a folder of the person's own, so that trying things
// out changes nothing in the project, and prints where. A copy that is there
// already stays as it is. The files are the same to the byte: so the program
// knows that it brought them, and asks nothing.
//
// usage: node scripts/sample.mjs [FOLDER]
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), "..");

/** The usual place for a program's data; the project's tmp folder where that cannot be written. */
function userFolder() {
  const home = process.env.HOME || process.env.USERPROFILE || os.homedir();
  const data =
    process.platform === "win32"
      ? process.env.LOCALAPPDATA || path.join(home, "AppData", "Local")
      : process.platform === "darwin"
        ? path.join(home, "Library", "Application Support")
        : process.env.XDG_DATA_HOME || path.join(home, ".local", "share");
  const folder = path.join(data, "mutsumi", "sample");
  try {
    fs.mkdirSync(path.dirname(folder), { recursive: true });
    fs.accessSync(path.dirname(folder), fs.constants.W_OK);
    return folder;
  } catch {
    return path.join(root, "tmp", "sample");
  }
}

const folder = path.resolve(process.argv[2] || userFolder());
if (!fs.existsSync(folder)) {
  const half = `${folder}.new`;
  fs.rmSync(half, { recursive: true, force: true });
  fs.cpSync(path.join(root, "assets", "sample"), half, { recursive: true });
  fs.renameSync(half, folder);
}
console.log(folder);
