// npm run pictures: takes a picture of every screen, in both themes and three widths, into dist/pictures.
//   npm run pictures -- board palette     only those whose names begin so
//   npm run pictures -- --readme          the two pictures of the README, into docs/pictures
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { serveFolder } from '../src/cli/serve/serve-folder.ts'
import { silentLog } from '../src/lib/log.ts'
import { launchChromium } from '../test/support/launched.ts'
import { type Stop, TOUR } from '../test/support/tour.ts'
import { dealbox, demoUrl, makeDemo } from './demo.ts'

const root = join(import.meta.dirname, '..')
const THEMES = ['light', 'dark'] as const
const SIZES = { phone: [390, 844], tablet: [768, 1024], desktop: [1440, 900] } as const

type Links = Record<string, string>

/** The sizes in which a screen is seen: a phone has no keyboard. */
const sizesOf = ({ only }: Stop) =>
  (Object.keys(SIZES) as (keyof typeof SIZES)[]).filter((size) =>
    only === undefined ? true : only === 'phone' ? size === 'phone' : size !== 'phone',
  )

async function main(): Promise<void> {
  const args = process.argv.slice(2)
  const names = args.filter((arg) => !arg.startsWith('--'))
  const work = mkdtempSync(join(tmpdir(), 'dealbox-pictures-'))
  const stops: (() => Promise<void>)[] = [async () => rmSync(work, { recursive: true, force: true })]
  try {
    const demo = await served(join(work, 'demo'), true)
    const empty = await served(join(work, 'empty'), false)
    stops.unshift(demo.stop, empty.stop)
    const browser = await launchChromium()
    stops.unshift(() => browser.close())
    const invited = await dealbox('member', 'invite', 'priya@harbor-demo.example', ...demo.where)
    const links = { join: String(invited.url), setup: String(empty.setup) }
    const url = String(demo.screens)
    const signIn = String(await demoUrl(join(work, 'demo'), url))
    const state = await signedIn(browser, signIn)
    if (args.includes('--readme')) await readme(browser, url, state)
    else
      for (const stop of TOUR.filter(({ name }) => names.length === 0 || names.some((each) => name.startsWith(each))))
        await pictures(browser, stop, { url, state, links })
  } finally {
    for (const stop of stops) await stop()
  }
}

async function served(folder: string, hasDemo: boolean) {
  if (hasDemo) await makeDemo(folder)
  const options = { data: folder, apiListen: '127.0.0.1:0', screensListen: '127.0.0.1:0', rateLimit: 'off' }
  const running = await serveFolder({ ...options, corsOrigin: '', webhookAllow: '', eventRetention: '30d' }, silentLog)
  const listen = running.screens?.slice('http://'.length) ?? ''
  return { ...running, where: ['--data', folder, '--screens-listen', listen] }
}

type State = Awaited<ReturnType<typeof signedIn>>

async function signedIn(browser: Browser, link: string) {
  const context = await browser.newContext()
  const page = await context.newPage()
  await page.goto(link)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.locator('[data-card]').first().waitFor()
  const state = await context.storageState()
  await context.close()
  return state
}

async function pictures(
  browser: Browser,
  stop: Stop,
  { url, state, links }: { url: string; state: State; links: Links },
): Promise<void> {
  for (const size of sizesOf(stop)) {
    const page = await openAt(browser, SIZES[size], stop.isOutside ? undefined : state)
    const path = stop.path.replace(/^\{(\w+)\}$/, (_, name) => links[name] as string)
    await page.goto(path.startsWith('http') ? path : url + path)
    const failed = await come(page, stop)
    for (const theme of THEMES) {
      const file = join(root, 'dist/pictures', `${stop.name}-${SIZES[size][0]}-${theme}.png`)
      await take(page, theme, file)
      process.stdout.write(`${file}${failed ? `  ${failed}` : ''}\n`)
    }
    await page.context().close()
  }
}

/** A screen that does not come is in the picture as it is; the line of its file says why. */
async function come(page: Page, { ready, prepare }: Stop): Promise<string | undefined> {
  try {
    await page.locator(ready).first().waitFor({ timeout: 10_000 })
    await prepare?.(page)
    await page.locator('.skeleton, [aria-busy=true]').first().waitFor({ state: 'detached' })
  } catch (error) {
    process.exitCode = 1
    return String(error).split('\n')[0]
  }
}

async function openAt(browser: Browser, [width, height]: readonly [number, number], storageState?: State) {
  const context = await browser.newContext({
    viewport: { width, height },
    reducedMotion: 'reduce',
    hasTouch: width < 640,
    ...(storageState ? { storageState } : {}),
  })
  const page = await context.newPage()
  page.setDefaultTimeout(10_000)
  return page
}

async function take(page: Page, theme: (typeof THEMES)[number], file: string): Promise<void> {
  mkdirSync(join(file, '..'), { recursive: true })
  writeFileSync(file, await shot(page, theme))
}

async function shot(page: Page, theme: (typeof THEMES)[number]): Promise<Buffer> {
  await page.emulateMedia({ colorScheme: theme, reducedMotion: 'reduce' })
  await page.evaluate('document.fonts.ready.then(() => undefined)')
  return page.screenshot({ caret: 'hide' })
}

/** What a picture of the README may have: it is loaded with the page of the repository. */
const MAX_BYTES = 60_000
const README_SIZE = [1200, 675] as const

/** A quarter of the size of a PNG, as good as it may be: the browser makes it. */
async function webp(browser: Browser, png: Buffer): Promise<Buffer> {
  const page = await browser.newPage()
  const made = `(async () => {
    const image = await createImageBitmap(await (await fetch('data:image/png;base64,${png.toString('base64')}')).blob())
    const canvas = Object.assign(document.createElement('canvas'), { width: image.width, height: image.height })
    canvas.getContext('2d').drawImage(image, 0, 0)
    const made = [0.85, 0.75, 0.65, 0.55, 0.45, 0.35].map((quality) => canvas.toDataURL('image/webp', quality))
    return made.find((url) => url.length * 0.75 < ${MAX_BYTES}) ?? made.at(-1)
  })()`
  const url = await page.evaluate<string>(made)
  await page.close()
  return Buffer.from(url.slice(url.indexOf(',') + 1), 'base64')
}

/** The board as a newcomer to the repository sees it. */
async function readme(browser: Browser, url: string, state: State): Promise<void> {
  const page = await openAt(browser, README_SIZE, state)
  await page.goto(`${url}/deals`)
  await page.locator('[data-card]').first().waitFor()
  await page.locator('.views .tabs a').first().waitFor()
  const folder = join(root, 'docs/pictures')
  mkdirSync(folder, { recursive: true })
  for (const theme of THEMES)
    writeFileSync(join(folder, `board-${theme}.webp`), await webp(browser, await shot(page, theme)))
  await page.context().close()
}

await main()
