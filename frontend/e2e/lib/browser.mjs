// Chromium as the tests use it: headless, with a profile of its own, silent
// towards the network.
import { execFileSync } from 'node:child_process'
import { chromium } from 'playwright-core'

const names = [
  process.env.MUTSUMI_CHROMIUM,
  'chromium-headless-shell',
  'chromium',
  'chromium-browser',
  'google-chrome',
  'google-chrome-stable',
]

const args = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--force-color-profile=srgb',
]

function executable() {
  for (const name of names.filter(Boolean)) {
    try {
      return execFileSync('sh', ['-c', 'command -v "$0"', name], { encoding: 'utf8' }).trim()
    } catch {
      // the next one
    }
  }
  throw new Error('there is no chromium: scripts/install.sh test installs it')
}

/**
 * Starts the browser; every newContext() of it is a fresh profile. Chromium sometimes crashes while it
 * starts, before it has loaded a page: then it is started again, up to twice, and what it said is printed.
 * MUTSUMI_CHROMIUM_ARGS holds more arguments.
 */
export async function launch() {
  const executablePath = executable()
  const more = process.env.MUTSUMI_CHROMIUM_ARGS?.split(' ') ?? []
  for (let left = 2; ; left--) {
    try {
      return await chromium.launch({ executablePath, headless: true, args: [...args, ...more] })
    } catch (e) {
      if (left === 0) throw e
      const said = String(e).match(/\[err\].*|exitCode=\S+|signal=\S+|Timeout .*/g) ?? [String(e)]
      console.error(`Could not start ${executablePath}, trying again: ${said.join('; ').slice(0, 500)}`)
    }
  }
}
