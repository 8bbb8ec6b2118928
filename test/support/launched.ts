import { existsSync } from 'node:fs'

const PATHS = [
  '/usr/bin/chromium-headless-shell', // the same without windows: half the processor time
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  'C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe',
]

/** The installed Chromium: the path in CHROMIUM, or a usual location. */
const executablePath = process.env.CHROMIUM ?? PATHS.find((path) => existsSync(path))

/** For the option `skip` of a test that needs a browser. */
export const noBrowser = executablePath === undefined && 'there is no Chromium on this machine'

/** `letters` is the size that its user has set, in pixels; 16 is the usual one. */
export async function launchChromium({ letters }: { letters?: number } = {}) {
  const { chromium } = await import('playwright-core')
  if (executablePath === undefined) throw new Error('There is no Chromium on this machine.')
  // The headless shell would draw letters in other places than Chromium with windows does.
  const args = ['--font-render-hinting=none']
  if (letters !== undefined) args.push(`--blink-settings=defaultFontSize=${letters}`)
  // Chromium has no sandbox for root, and many containers run as root.
  if (process.getuid?.() === 0) args.push('--no-sandbox')
  return chromium.launch({ executablePath, args })
}
