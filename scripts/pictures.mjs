#!/usr/bin/env node
// Draws the pictures that the project stores next to their sources: the icons in build/ from
// build/appicon.svg, and the sample's chart from its CSV. The results are committed; run this after
// changing a source. Needs chromium.
//
// usage: node scripts/pictures.mjs
import fs from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { launch } from "../frontend/e2e/lib/browser.mjs";

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), "..");
const at = (...names) => path.join(root, ...names);
const browser = await launch();

/** An SVG as a PNG of width x height pixels. */
async function png(svg, width, height) {
  const page = await browser.newPage({ viewport: { width, height } });
  await page.setContent(`<style>html,body{margin:0;background:transparent}svg{display:block;width:${width}px;height:${height}px}</style>${svg}`);
  const bytes = await page.screenshot({ omitBackground: true });
  await page.close();
  return bytes;
}

async function icons() {
  const svg = fs.readFileSync(at("build", "appicon.svg"), "utf8");
  const size = new Map();
  for (const n of [16, 24, 32, 48, 64, 128, 256, 512, 1024]) size.set(n, await png(svg, n, n));
  fs.writeFileSync(at("build", "appicon.png"), size.get(512));
  fs.writeFileSync(at("build", "windows", "icon.ico"), ico([16, 24, 32, 48, 64, 256].map((n) => [n, size.get(n)])));
  fs.writeFileSync(at("build", "darwin", "icon.icns"), icns([["ic11", 32], ["ic12", 64], ["ic07", 128], ["ic08", 256], ["ic09", 512], ["ic10", 1024]].map(([type, n]) => [type, size.get(n)])));
}

/** Windows' icon file: a directory, then the pictures as PNG. */
function ico(pictures) {
  const head = Buffer.alloc(6 + 16 * pictures.length);
  head.writeUInt16LE(1, 2);
  head.writeUInt16LE(pictures.length, 4);
  let offset = head.length;
  pictures.forEach(([n, bytes], i) => {
    const entry = 6 + 16 * i;
    head[entry] = head[entry + 1] = n === 256 ? 0 : n;
    head.writeUInt16LE(1, entry + 4);
    head.writeUInt16LE(32, entry + 6);
    head.writeUInt32LE(bytes.length, entry + 8);
    head.writeUInt32LE(offset, entry + 12);
    offset += bytes.length;
  });
  return Buffer.concat([head, ...pictures.map(([, bytes]) => bytes)]);
}

/** macOS' icon file: blocks of type, length and PNG. */
function icns(pictures) {
  const block = (type, bytes) => {
    const head = Buffer.alloc(8);
    head.write(type, "latin1");
    head.writeUInt32BE(bytes.length + 8, 4);
    return Buffer.concat([head, bytes]);
  };
  return block("icns", Buffer.concat(pictures.map(([type, bytes]) => block(type, bytes))));
}

async function chart() {
  const rows = fs.readFileSync(at("assets/sample/data/rainfall.csv"), "utf8").trim().split("\n").slice(1)
    .map((line) => line.split(",")).map(([date, rain, high]) => ({ day: Number(date.slice(-2)), rain: Number(rain), high: Number(high) }));
  const [w, h, left, right, top, bottom] = [960, 480, 64, 64, 76, 56];
  const x = (day) => left + ((day - 0.5) * (w - left - right)) / rows.length;
  const yRain = (mm) => h - bottom - (mm / 20) * (h - top - bottom);
  const yHigh = (c) => h - bottom - ((c - 10) / 25) * (h - top - bottom);
  const text = (tx, ty, s, more = "") => `<text x="${tx}" y="${ty}" ${more}>${s}</text>`;
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${w} ${h}" font-family="Inter, Noto Sans, DejaVu Sans, sans-serif" font-size="14" fill="#545b52">
    <rect width="${w}" height="${h}" fill="#fbfbf9"/>
    ${text(left, 34, "School garden, June 2026", 'font-size="20" font-weight="600" fill="#1d211c"')}
    ${text(left, 56, "rain a day in millimetres (bars), highest temperature in °C (line)")}
    ${[0, 5, 10, 15, 20].map((mm) => `<line x1="${left}" x2="${w - right}" y1="${yRain(mm)}" y2="${yRain(mm)}" stroke="#e3e5de"/>${text(left - 12, yRain(mm) + 5, mm, 'text-anchor="end"')}`).join("")}
    ${[10, 15, 20, 25, 30, 35].map((c) => text(w - right + 12, yHigh(c) + 5, `${c}°`, 'fill="#96640a"')).join("")}
    ${rows.map((r) => `<rect x="${x(r.day) - 9}" width="18" y="${yRain(r.rain)}" height="${yRain(0) - yRain(r.rain)}" rx="2" fill="#2f6fd0"/>`).join("")}
    <polyline points="${rows.map((r) => `${x(r.day)},${yHigh(r.high)}`).join(" ")}" fill="none" stroke="#c08a2d" stroke-width="2.5" stroke-linejoin="round"/>
    ${rows.filter((r) => r.day % 5 === 0 || r.day === 1).map((r) => text(x(r.day), h - bottom + 24, `${r.day} Jun`, 'text-anchor="middle"')).join("")}
  </svg>`;
  fs.writeFileSync(at("assets/sample/charts/rainfall.png"), await png(svg, w, h));
}

await icons();
await chart();
await browser.close();
