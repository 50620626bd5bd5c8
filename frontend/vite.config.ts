import { writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { svelte, vitePreprocess } from '@sveltejs/vite-plugin-svelte'
import type { Plugin } from 'vite'
import { defineConfig } from 'vitest/config'
import { classicPage } from './build/classicScript.ts'
import { staticIcons } from './build/icons.ts'

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

/** The most that the first frame may load, in kB of scripts as they are sent. */
const firstFrameKB = 350

/** Fails the build when the first frame would load more. What it does not need is imported through a LazyModule (src/shell/lazy.ts). */
function smallFirstFrame(): Plugin {
  return {
    name: 'small-first-frame',
    apply: 'build',
    generateBundle(_, bundle) {
      const sizes = new Map<string, number>()
      const visit = (name: string) => {
        const chunk = bundle[name]
        if (chunk?.type !== 'chunk' || sizes.has(name)) return
        sizes.set(name, Buffer.byteLength(chunk.code) / 1000)
        chunk.imports.forEach(visit)
      }
      const page = Object.values(bundle).find((chunk) => chunk.type === 'chunk' && chunk.isEntry)?.fileName
      if (!page) return this.error('The build has no page.')
      visit(page)
      const all = [...sizes.values()].reduce((a, b) => a + b, 0)
      if (all > firstFrameKB)
        this.error(
          `The first frame loads ${[...sizes.keys()].join(' + ')}: ${Math.round(all)} kB, more than ${firstFrameKB} kB. Load a part of it later.`,
        )
    },
  }
}

/** What more than one file of the build may need. */
const sharedParts =
  /node_modules[\\/](svelte|@lucide)[\\/]|src[\\/]lib[\\/](?!ui[\\/](?:viewer|viewerFolds|diffTexts|invisibleChars|viewDecorations|textField|Markdown(?!Doc)\w*|diagram\w*|codeLines)\.)/

export default defineConfig({
  // Relative addresses: the page is served as wails://wails/ and as http://127.0.0.1:PORT/.
  base: './',
  plugins: [staticIcons(), svelte({ preprocess: vitePreprocess() }), newestFonts(), smallFirstFrame(), classicPage(), keepDist()],
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
            // Its search is loaded with the viewer of long texts, after the first frame.
            {
              name: 'editor',
              test: /node_modules[\\/](@codemirror[\\/](?!search)|(@lezer|codemirror|style-mod|w3c-keyname|crelt|@marijn)[\\/])/,
            },
            { name: 'math', test: /node_modules[\\/]katex[\\/]/ },
            {
              name: 'markdown',
              test: /node_modules[\\/](markdown-it|markdown-it-task-lists|dompurify|linkify-it|mdurl|uc\.micro|entities|punycode\.js)[\\/]/,
            },
            // The first frame in one file: each further one delays it. What several of the rest share is in another.
            { name: 'page', test: /./, tags: ['$initial'], priority: 1 },
            { name: 'shared', test: sharedParts, minShareCount: 2 },
          ],
        },
      },
    },
  },
  server: {
    // `make dev`: Vite serves the page, the Go program everything under /api and the preferences.
    proxy: { '^/(api/|preferences\\.js)': { target: process.env.MUTSUMI_SERVE ?? 'http://127.0.0.1:5174', changeOrigin: true } },
  },
  test: {
    include: ['src/**/*.test.ts', 'eslint/**/*.test.ts', 'build/**/*.test.ts'],
    environment: 'node',
    isolate: false,
    setupFiles: ['src/vitest.setup.ts'],
    restoreMocks: true,
    // For a test that hangs: the slowest takes 5 s alone, and with other work before it many times that.
    testTimeout: 300_000,
    hookTimeout: 300_000,
  },
})
