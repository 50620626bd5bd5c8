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

/** Starts the browser; every newContext() of it is a fresh profile. */
export function launch() {
  return chromium.launch({
    executablePath: executable(),
    headless: true,
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      '--force-color-profile=srgb',
    ],
  })
}
