import { writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { svelte, vitePreprocess } from '@sveltejs/vite-plugin-svelte'
import type { Plugin } from 'vite'
import { defineConfig } from 'vitest/config'

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url))

/** Go embeds dist, which must exist in a fresh checkout: emptying it must not take .gitkeep. */
function keepDist(): Plugin {
  return {
    name: 'keep-dist',
    apply: 'build',
    closeBundle: () => writeFileSync(here('dist/.gitkeep'), ''),
  }
}

/** Every web view that the window runs in reads woff2; KaTeX also ships the same fonts in two older forms. */
function newestFonts(): Plugin {
  return {
    name: 'newest-fonts',
    enforce: 'pre',
    transform: (code, id) =>
      /katex.*\.css$/.test(id) ? code.replace(/,\s*url\([^)]+\.(?:woff|ttf)\)\s*format\((["'])(?:woff|truetype)\1\)/g, '') : null,
  }
}

export default defineConfig({
  // Relative addresses: the page is served as wails://wails/ and as http://127.0.0.1:PORT/.
  base: './',
  plugins: [svelte({ preprocess: vitePreprocess() }), newestFonts(), keepDist()],
  resolve: {
    alias: { $lib: here('src/lib'), $wails: here('wailsjs') },
    // Vitest runs in Node; without this Svelte would resolve to its server build there.
    ...(process.env.VITEST ? { conditions: ['browser'] } : {}),
  },
  build: {
    outDir: 'dist',
    emptyOutDir: true,
    // WebKitGTK 2.36 and Safari 16 are the oldest web views the window runs in.
    target: ['es2022', 'safari16'],
    // The page's policy takes fonts and scripts from its own origin only: none as data.
    assetsInlineLimit: 0,
    cssCodeSplit: true,
    modulePreload: { polyfill: false },
    sourcemap: false,
    chunkSizeWarningLimit: 700,
    rolldownOptions: {
      output: {
        codeSplitting: {
          groups: [
            { name: 'editor', test: /node_modules[\\/](@codemirror|@lezer|codemirror|style-mod|w3c-keyname|crelt|@marijn)[\\/]/ },
            { name: 'math', test: /node_modules[\\/]katex[\\/]/ },
            { name: 'highlight', test: /node_modules[\\/]highlight\.js[\\/]/ },
            {
              name: 'markdown',
              test: /node_modules[\\/](markdown-it|markdown-it-task-lists|dompurify|linkify-it|mdurl|uc\.micro|entities|punycode\.js)[\\/]/,
            },
          ],
        },
      },
    },
  },
  server: {
    // `make dev`: Vite serves the page, the Go program everything under /api.
    proxy: { '/api': { target: process.env.MUTSUMI_SERVE ?? 'http://127.0.0.1:5174', changeOrigin: true } },
  },
  test: {
    include: ['src/**/*.test.ts'],
    environment: 'node',
    restoreMocks: true,
    // Only what hangs takes that long, on however busy a machine.
    testTimeout: 300_000,
    hookTimeout: 300_000,
  },
})
