#!/usr/bin/env node
// Makes the parts of packages besides the programs, and the archive that needs no system tool.
// Every result depends only on the sources and the arguments.
//
// usage: node scripts/package.mjs licences [go list's flags]...   prints the licences of what the programs contain
//        node scripts/package.mjs manual PROGRAM DAY             prints the manual page, from the program's help
//        node scripts/package.mjs icons FOLDER                   writes the icon in each size, as the icon theme wants them
//        node scripts/package.mjs zip FOLDER FILE SECONDS        packs a folder; every file gets that time
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import zlib from "node:zlib";

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), "..");
const at = (...names) => path.join(root, ...names);
const read = (...names) => fs.readFileSync(path.join(...names), "utf8");
const go = (...args) => execFileSync("go", args, { cwd: root, encoding: "utf8", maxBuffer: 1 << 26 });
const byName = (a, b) => (a < b ? -1 : a > b ? 1 : 0);

/** The licence texts in a folder, one after the other; if there are none, the licence in its package.json. */
function licencesIn(folder, name) {
  const files = fs.readdirSync(folder).filter((f) => /^(licen[cs]e|copying|notice)([.-]|$)/i.test(f)).sort(byName);
  if (files.length === 0) {
    const said = fs.existsSync(path.join(folder, "package.json")) && JSON.parse(read(folder, "package.json")).license;
    if (!said) throw new Error(`Could not find the licence of ${name}: ${folder} has no file with one.`);
    return `Licence, as its package.json names it: ${said}`;
  }
  return files.map((f) => read(folder, f).replace(/\r/g, "").trim()).join("\n\n");
}

/** The Go modules of the program, and Go's own library. */
function modules(flags) {
  const lines = go("list", ...flags, "-deps", "-f", "{{with .Module}}{{if not .Main}}{{.Path}} {{.Version}}\t{{.Dir}}{{end}}{{end}}", ".").split("\n");
  const found = [...new Set(lines)].filter(Boolean).map((line) => line.split("\t"));
  const own = found.find(([name]) => name.startsWith("golang.org/x/sys "))[1]; // the same text, where Go comes without its file
  const goroot = go("env", "GOROOT").trim();
  return [[`Go ${go("env", "GOVERSION").trim().slice(2)}`, fs.existsSync(path.join(goroot, "LICENSE")) ? goroot : own], ...found];
}

/** The packages and fonts in the interface: those that package.json names, and their dependencies. */
function packages() {
  const home = at("frontend", "node_modules");
  const wanted = [...Object.keys(JSON.parse(read(at("frontend", "package.json"))).dependencies), "svelte", "clsx", "devalue", "esm-env"];
  const found = new Map();
  while (wanted.length) {
    const name = wanted.pop();
    const folder = path.join(home, name);
    if (found.has(name) || name.startsWith("@types/")) continue;
    const its = JSON.parse(read(folder, "package.json"));
    found.set(name, [`${name} ${its.version}`, folder]);
    if (name !== "svelte") wanted.push(...Object.keys(its.dependencies ?? {})); // most of its own only compile
  }
  return [...found.values()];
}

function licences(flags) {
  const texts = new Map();
  for (const [name, folder] of [...modules(flags), ...packages()].sort(([a], [b]) => byName(a, b))) {
    const text = licencesIn(folder, name);
    const key = createHash("sha256").update(text.replace(/\s+/g, " ")).digest("hex");
    texts.set(key, { names: [...(texts.get(key)?.names ?? []), name], text });
  }
  const rule = "-".repeat(78);
  const parts = [...texts.values()].map(({ names, text }) => `${rule}\n${names.join("\n")}\n${rule}\n\n${text}\n`);
  return `Mutsumi\nCopyright: the Mutsumi authors.\n\nThe programs contain the following software and fonts, under their own licences.\n\n${parts.join("\n")}`;
}

/** roff takes a backslash, and a dot or quote at the start of a line, as its own. */
const roff = (text) => text.replaceAll("\\", "\\e").replaceAll("-", "\\-").replace(/^(['.])/gm, "\\&$1");

function manual(program, day) {
  const [first, ...rest] = execFileSync(program, ["help"], { encoding: "utf8" }).trim().split("\n");
  const { version } = JSON.parse(execFileSync(program, ["version", "--json"], { encoding: "utf8" }));
  const lines = rest.filter(Boolean).map((line) => (line.startsWith("      ") ? roff(line.trim()) : `.TP\n.B ${roff(line.trim())}`));
  return `.TH MUTSUMI 1 "${day}" "Mutsumi ${version}" "User Commands"
.SH NAME
mutsumi \\- ${roff(first.split(": ").at(-1).replace(/\.$/, ""))}
.SH SYNOPSIS
.B mutsumi
.RI [ DIR | NOTEBOOK ]
.br
.B mutsumi
.I COMMAND
.RI [ ARGUMENTS ]
.SH DESCRIPTION
Every agent is a notebook: a plain\\-text file of prompts and answers, whose name ends with .mtm.
.SH COMMANDS
${lines.join("\n")}
.SH EXIT STATUS
0, 1 for a failure, 2 for wrong use.
`;
}

/** The pictures that icon.ico and icon.icns hold as PNG, by their size in pixels. */
function pictures() {
  const found = new Map();
  const ico = fs.readFileSync(at("build", "windows", "icon.ico"));
  for (let i = 0; i < ico.readUInt16LE(4); i++) {
    const entry = 6 + 16 * i;
    const begin = ico.readUInt32LE(entry + 12);
    found.set(ico[entry] || 256, ico.subarray(begin, begin + ico.readUInt32LE(entry + 8)));
  }
  const icns = fs.readFileSync(at("build", "darwin", "icon.icns"));
  for (let i = 8; i < icns.length; i += icns.readUInt32BE(i + 4)) {
    const png = icns.subarray(i + 8, i + icns.readUInt32BE(i + 4));
    if (png.readUInt32BE(16) <= 512) found.set(png.readUInt32BE(16), png);
  }
  return found;
}

function icons(folder) {
  for (const [size, png] of pictures()) {
    fs.mkdirSync(path.join(folder, `${size}x${size}`, "apps"), { recursive: true });
    fs.writeFileSync(path.join(folder, `${size}x${size}`, "apps", "mutsumi.png"), png);
  }
  fs.mkdirSync(path.join(folder, "scalable", "apps"), { recursive: true });
  fs.copyFileSync(at("build", "appicon.svg"), path.join(folder, "scalable", "apps", "mutsumi.svg"));
}

/** A zip without machine-dependent differences: order, time zone, owner. */
function zip(folder, file, seconds) {
  const names = fs.readdirSync(folder, { recursive: true }).map((f) => f.split(path.sep).join("/")).filter((f) => fs.statSync(path.join(folder, f)).isFile()).sort(byName);
  const when = new Date(seconds * 1000);
  const time = (when.getUTCHours() << 11) | (when.getUTCMinutes() << 5) | (when.getUTCSeconds() >> 1);
  const day = ((when.getUTCFullYear() - 1980) << 9) | ((when.getUTCMonth() + 1) << 5) | when.getUTCDate();
  const [bodies, directory] = [[], []];
  let offset = 0;
  for (const name of names) {
    const bytes = fs.readFileSync(path.join(folder, name));
    const packed = zlib.deflateRawSync(bytes, { level: 6 });
    const mode = fs.statSync(path.join(folder, name)).mode & 0o100 ? 0o100755 : 0o100644;
    const title = Buffer.from(name);
    const facts = Buffer.alloc(26); // needed version, flags (names are UTF-8), method, time, day, sum, sizes, lengths
    [20, 0x800, 8, time, day].forEach((n, i) => facts.writeUInt16LE(n, 2 * i));
    [zlib.crc32(bytes), packed.length, bytes.length].forEach((n, i) => facts.writeUInt32LE(n, 10 + 4 * i));
    facts.writeUInt16LE(title.length, 22);
    const rest = Buffer.alloc(14); // comment, disk, attributes, offset
    rest.writeUInt32LE((mode << 16) >>> 0, 6);
    rest.writeUInt32LE(offset, 10);
    directory.push(Buffer.from("PK\x01\x02\x14\x03", "latin1"), facts, rest, title); // made on a system with file modes
    const body = [Buffer.from("PK\x03\x04"), facts, title, packed];
    bodies.push(...body);
    offset += body.reduce((sum, part) => sum + part.length, 0);
  }
  const end = Buffer.alloc(22);
  end.write("PK\x05\x06", "latin1");
  end.writeUInt16LE(names.length, 8);
  end.writeUInt16LE(names.length, 10);
  end.writeUInt32LE(directory.reduce((sum, part) => sum + part.length, 0), 12);
  end.writeUInt32LE(offset, 16);
  fs.writeFileSync(file, Buffer.concat([...bodies, ...directory, end]));
}

const [what, ...args] = process.argv.slice(2);
if (what === "licences") process.stdout.write(licences(args));
else if (what === "manual") process.stdout.write(manual(...args));
else if (what === "icons") icons(args[0]);
else if (what === "zip") zip(args[0], args[1], Number(args[2]));
else {
  console.error("usage: node scripts/package.mjs licences|manual|icons|zip ...");
  process.exit(2);
}
