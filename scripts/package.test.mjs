// The packages as a user gets them: their content, that the Debian package installs and its
// programs start, that the same sources give the same bytes. scripts/test.sh makes them first;
// MUTSUMI_PACKAGES is their folder.
import assert from "node:assert/strict";
import { execFileSync, spawn, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { createInterface } from "node:readline";
import { after, before, describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import zlib from "node:zlib";

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), "..");
const folder = process.env.MUTSUMI_PACKAGES ?? path.join(root, "bin", "packages");
const scratch = fs.mkdtempSync(path.join(os.tmpdir(), "mutsumi-packages-"));
const at = (...names) => path.join(scratch, ...names);
const run = (program, args, options = {}) => execFileSync(program, args, { cwd: root, encoding: "utf8", maxBuffer: 1 << 26, ...options });
const has = (program) => spawnSync("sh", ["-c", `command -v ${program}`]).status === 0;
const sum = (bytes) => createHash("sha256").update(bytes).digest("hex");
const read = (...names) => fs.readFileSync(path.join(...names));

/** A separate home, with nothing of the tester's own. */
function environment(name) {
  const home = at(`home-${name}`);
  fs.mkdirSync(path.join(home, "run"), { recursive: true, mode: 0o700 });
  return { PATH: process.env.PATH, LANG: "C.UTF-8", HOME: home, XDG_RUNTIME_DIR: path.join(home, "run"), MUTSUMI_CONFIG: path.join(home, "config"), MUTSUMI_STATE: path.join(home, "state"), GTK_A11Y: "none", NO_AT_BRIDGE: "1", GDK_BACKEND: "x11" };
}

/** A folder with one notebook, whose path is returned. */
function notebook(name) {
  fs.mkdirSync(at(name), { recursive: true });
  const metadata = { uuid: crypto.randomUUID(), name: "Opened", created_at: "2026-01-02T03:04:05Z", parent_agent_id: null, allowed_uris: ["."] };
  fs.writeFileSync(at(name, "opened.mtm"), JSON.stringify({ metadata, context: [{ role: "user", content: "A prompt" }] }));
  return at(name, "opened.mtm");
}

/** The names in a zip with the bytes and the mode of each. */
function unzip(file) {
  const zip = read(file);
  let at = zip.readUInt32LE(zip.length - 6);
  const found = new Map();
  for (let n = zip.readUInt16LE(zip.length - 12); n > 0; n--) {
    assert.equal(zip.toString("latin1", at, at + 4), "PK\x01\x02");
    const [check, packed, size] = [16, 20, 24].map((i) => zip.readUInt32LE(at + i));
    const [title, extra, comment] = [28, 30, 32].map((i) => zip.readUInt16LE(at + i));
    const local = zip.readUInt32LE(at + 42);
    const begin = local + 30 + zip.readUInt16LE(local + 26) + zip.readUInt16LE(local + 28);
    const bytes = zlib.inflateRawSync(zip.subarray(begin, begin + packed));
    assert.deepEqual([bytes.length, zlib.crc32(bytes)], [size, check]);
    found.set(zip.toString("utf8", at + 46, at + 46 + title), { bytes, mode: zip.readUInt32LE(at + 38) >>> 16 });
    at += 46 + title + extra + comment;
  }
  return found;
}

describe("packages", { timeout: 1_800_000 }, () => {
  const build = JSON.parse(run("bin/mutsumi-plain", ["version", "--json"]));
  const names = fs.readdirSync(folder).sort();
  const one = (ending) => {
    const found = names.filter((n) => n.endsWith(ending));
    assert.equal(found.length, 1, `one ${ending} in ${names}`);
    return path.join(folder, found[0]);
  };
  const installed = at("installed");

  before(() => run("dpkg-deb", ["-x", one(".deb"), installed]));
  after(() => fs.rmSync(scratch, { recursive: true, force: true }));

  test("their names say the version and the commit", () => {
    assert.equal(build.commit, run("git", ["rev-parse", "HEAD"]).trim());
    assert.ok(build.release || build.package.includes(build.commit.slice(0, 7)), build.package);
    for (const name of names) assert.ok(name.replace("~", "-").includes(build.package), `${build.package} in ${name}`);
    assert.equal(names.length, 3);
  });

  test("the Debian package says what it is and needs", () => {
    const field = (name) => run("dpkg-deb", ["-f", one(".deb"), name]).trim();
    assert.equal(field("Package"), "mutsumi");
    assert.equal(field("Version"), build.package.replace("-", "~"));
    assert.equal(field("Architecture"), run("dpkg", ["--print-architecture"]).trim());
    assert.ok(build.release || spawnSync("dpkg", ["--compare-versions", field("Version"), "lt", build.version]).status === 0, "it comes before the release");
    const needs = field("Depends").split(", ");
    for (const name of ["libwebkit2gtk-4.1-0", "libgtk-3-0"]) assert.ok(needs.includes(name), `${name} in ${needs}`);
    assert.match(needs.join(), /libc6 \(>= 2\.\d+\)/);
    for (const need of needs) {
      const name = need.split(" ")[0];
      const known = [name, `${name}t64`].some((n) => spawnSync("dpkg-query", ["-W", "-f", "${db:Status-Status}", n], { encoding: "utf8" }).stdout === "installed");
      assert.ok(known, `${need} is installed where the program runs`);
    }
  });

  test("the Debian package holds what a desktop wants", () => {
    const listed = run("dpkg-deb", ["-c", one(".deb")]).trim().split("\n");
    assert.ok(listed.every((line) => /^[d-]rwxr-xr-x root\/root |^-rw-r--r-- root\/root /.test(line)), listed.join("\n"));
    const files = listed.filter((line) => line.startsWith("-")).map((line) => line.split(" ./").at(-1)).sort();
    const sizes = [128, 16, 24, 256, 32, 48, 512, 64];
    assert.deepEqual(files, [
      "usr/bin/mutsumi", "usr/share/applications/mutsumi.desktop", "usr/share/doc/mutsumi/changelog.gz", "usr/share/doc/mutsumi/copyright",
      ...sizes.map((n) => `usr/share/icons/hicolor/${n}x${n}/apps/mutsumi.png`), "usr/share/icons/hicolor/scalable/apps/mutsumi.svg",
      "usr/share/man/man1/mutsumi.1.gz", "usr/share/mime/packages/mutsumi.xml",
    ]);
    for (const n of sizes) {
      const png = read(installed, `usr/share/icons/hicolor/${n}x${n}/apps/mutsumi.png`);
      assert.deepEqual([png.toString("latin1", 1, 4), png.readUInt32BE(16), png.readUInt32BE(20)], ["PNG", n, n]);
    }
    run("dpkg-deb", ["-e", one(".deb"), at("control")]);
    run("md5sum", ["--quiet", "-c", at("control", "md5sums")], { cwd: installed });
    assert.equal(read(at("control", "md5sums")).toString().trim().split("\n").length, files.length);
    const copyright = read(installed, "usr/share/doc/mutsumi/copyright").toString();
    for (const name of ["wailsapp/wails", "codemirror/view", "fontsource-variable/inter", "svelte", "SIL OPEN FONT LICENSE"]) assert.ok(copyright.includes(name), `${name} in the licences`);
    assert.ok(zlib.gunzipSync(read(installed, "usr/share/doc/mutsumi/changelog.gz")).equals(read(root, "CHANGELOG.md")), "the list of changes");
    const manual = zlib.gunzipSync(read(installed, "usr/share/man/man1/mutsumi.1.gz")).toString();
    assert.match(manual, /^\.TH MUTSUMI 1 "\d{4}-\d\d-\d\d" "Mutsumi 0/);
    assert.match(manual, /^\.B mutsumi serve /m);
  });

  test("the desktop entry opens a notebook, and the system knows what that is", (t) => {
    const entry = read(installed, "usr/share/applications/mutsumi.desktop").toString();
    const value = (key) => entry.match(new RegExp(`^${key}=(.*)$`, "m"))?.[1];
    assert.deepEqual([value("Type"), value("Exec"), value("Icon"), value("Terminal")], ["Application", "mutsumi %f", "mutsumi", "false"]);
    assert.ok(value("MimeType").split(";").includes("application/x-mutsumi"));
    if (has("desktop-file-validate")) assert.equal(run("desktop-file-validate", [path.join(installed, "usr/share/applications/mutsumi.desktop")]), "");
    else t.diagnostic("desktop-file-validate is not here");
    if (!has("update-mime-database")) return t.diagnostic("update-mime-database is not here");
    run("update-mime-database", [path.join(installed, "usr/share/mime")]);
    assert.match(read(installed, "usr/share/mime/globs2").toString(), /^50:application\/x-mutsumi:\*\.mtm$/m);
  });

  test("the Debian package installs with dpkg, and is removed without a trace", { skip: process.getuid() !== 0 && "only root may" }, () => {
    const system = at("system");
    fs.mkdirSync(path.join(system, "var/lib/dpkg/info"), { recursive: true });
    fs.mkdirSync(path.join(system, "var/lib/dpkg/updates"));
    fs.writeFileSync(path.join(system, "var/lib/dpkg/status"), "");
    const dpkg = (...args) => run("dpkg", [`--root=${system}`, "--force-depends", `--log=${at("dpkg.log")}`, ...args], { stdio: ["ignore", "pipe", "pipe"] });
    dpkg("-i", one(".deb"));
    assert.match(dpkg("-s", "mutsumi"), /^Status: install ok installed$/m);
    assert.equal(sum(read(system, "usr/bin/mutsumi")), sum(read(root, "bin/mutsumi")));
    dpkg("-P", "mutsumi");
    assert.ok(!fs.existsSync(path.join(system, "usr/bin/mutsumi")));
    assert.ok(!fs.existsSync(path.join(system, "usr/share/doc/mutsumi")));
  });

  test("the installed program says its version and serves a notebook over HTTP", async (t) => {
    const program = path.join(installed, "usr/bin/mutsumi");
    assert.deepEqual(JSON.parse(run(program, ["version", "--json"])), build);
    const server = spawn(program, ["serve", notebook("served")], { env: environment("served"), stdio: ["ignore", "pipe", "inherit"] });
    t.after(() => server.kill("SIGKILL"));
    const address = await new Promise((done, fail) => {
      createInterface({ input: server.stdout }).on("line", (line) => line.startsWith("http://") && done(line));
      server.once("exit", (code) => fail(new Error(`it ended with ${code}`)));
    });
    const answer = await fetch(address);
    assert.equal(answer.status, 200);
    assert.match(await answer.text(), /<title>Mutsumi/);
    server.kill("SIGTERM");
    assert.deepEqual(await once(server, "exit"), [0, null]);
  });

  test("the installed program opens a window on a notebook", { skip: !has("xvfb-run") && "there is no xvfb-run" }, () => {
    // xdotool fails when a window goes while it searches: it searches again while the program runs.
    const script =
      '"$@" & program=$!; until xdotool search --sync --onlyvisible --pid $program --name "^opened-here - Mutsumi$" >/dev/null; do kill -0 $program || exit 1; sleep 0.1; done; kill -TERM $program; wait $program; exit 0';
    const words = ["-a", "-s", "-screen 0 1280x900x24 -nolisten tcp", "dbus-run-session", "--", "bash", "-c", script, "bash", path.join(installed, "usr/bin/mutsumi"), notebook("opened-here")];
    run("xvfb-run", words, { env: environment("window"), timeout: 900_000, stdio: ["ignore", "pipe", "inherit"] });
  });

  test("the tarball holds both programs, and how to install them", () => {
    run("tar", ["-xJf", one(".tar.xz"), "-C", scratch]);
    const inside = at(path.basename(one(".tar.xz"), ".tar.xz"));
    assert.equal(run(path.join(inside, "bin/mutsumi-plain"), ["version"]), run("bin/mutsumi-plain", ["version"]));
    assert.equal(sum(read(inside, "bin/mutsumi")), sum(read(root, "bin/mutsumi")));
    for (const name of ["INSTALL.md", "share/applications/mutsumi.desktop", "share/mime/packages/mutsumi.xml", "share/doc/mutsumi/copyright"])
      assert.ok(fs.statSync(path.join(inside, name)).size > 0, name);
  });

  test("the zip holds both Windows programs, and how to install them", () => {
    const files = unzip(one(".zip"));
    const top = path.basename(one(".zip"), ".zip");
    assert.deepEqual([...files.keys()], ["CHANGELOG.md", "INSTALL.md", "LICENCES.txt", "mutsumi-cli.exe", "mutsumi.exe"].map((n) => `${top}/${n}`));
    for (const name of ["mutsumi.exe", "mutsumi-cli.exe"]) assert.ok(files.get(`${top}/${name}`).bytes.equals(read(root, "bin", name)), name);
    assert.match(files.get(`${top}/LICENCES.txt`).bytes.toString(), /go-webview2/);
    if (has("unzip")) run("unzip", ["-tqq", one(".zip")]);
    // The window's program carries icon, manifest and version as resources.
    const exe = files.get(`${top}/mutsumi.exe`).bytes;
    for (const word of ["ProductVersion", "OriginalFilename"]) assert.ok(exe.includes(Buffer.from(word, "utf16le")), word);
    assert.ok(exe.includes("PerMonitorV2") || exe.includes("permonitorv2"), "a manifest");
  });

  test("the application for macOS is laid out as macOS wants it", () => {
    fs.writeFileSync(at("program"), "#!/bin/sh\n");
    run("bash", ["-c", '. scripts/steps.sh; bundle "$1" "$2"', "bash", at("program"), at("Mutsumi.app")]);
    const inside = (...names) => at("Mutsumi.app", "Contents", ...names);
    const info = read(inside("Info.plist")).toString();
    const value = (key) => info.match(new RegExp(`<key>${key}</key>\\s*<string>(.*?)</string>`))?.[1];
    assert.equal(value("CFBundleShortVersionString"), build.version);
    assert.equal(value("CFBundlePackageType"), "APPL");
    assert.ok(fs.statSync(inside("MacOS", value("CFBundleExecutable"))).mode & 0o100);
    assert.equal(read(inside("Resources", `${value("CFBundleIconFile")}.icns`)).toString("latin1", 0, 4), "icns");
    assert.match(info, /<key>public\.filename-extension<\/key><array><string>mtm<\/string>/);
    assert.equal(info.match(/app\.mutsumi\.notebook/g).length, 2, "the type is declared and opened");
    if (has("plutil")) run("plutil", ["-lint", inside("Info.plist")]);
  });

  test("the same sources give the same bytes", () => {
    // Small programs: the content does not change the packing.
    fs.mkdirSync(at("small"));
    for (const name of ["mutsumi", "mutsumi-plain", "mutsumi.exe", "mutsumi-cli.exe"]) fs.copyFileSync("/bin/true", at("small", name));
    const packed = [["022", "UTC", "C.UTF-8"], ["077", "Asia/Tokyo", "C"]].map(([mask, TZ, LANG], i) => {
      const out = at(`packed-${i}`);
      run("bash", ["-c", `umask ${mask}; exec bash scripts/package.sh --fast --programs "$1" "$2"`, "bash", at("small"), out], { env: { ...process.env, TZ, LANG } });
      return Object.fromEntries(fs.readdirSync(out).map((name) => [name, sum(read(out, name))]));
    });
    assert.deepEqual(packed[0], packed[1]);
    assert.equal(Object.keys(packed[0]).length, 3);
    run("bash", ["-c", '. scripts/steps.sh; CGO_ENABLED=0 go build -trimpath -ldflags "$(linked)" -o "$1" .', "bash", at("again")]);
    assert.equal(sum(read(at("again"))), sum(read(root, "bin/mutsumi-plain")));
  });
});
