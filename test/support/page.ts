import assert from 'node:assert/strict'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { violations } from './axe.ts'
import { browserCookie, type Screens, type SignedIn } from './screens.ts'

export const SIZES = {
  desktop: { width: 1440, height: 900 },
  tablet: { width: 768, height: 1024 },
  phone: { width: 390, height: 844 },
} as const

type OpenOptions = BrowserContextOptions & { size?: keyof typeof SIZES }

/** Opens a page in a browser of its own, in which the member is signed in. */
export async function openPage(
  browser: Browser,
  { url }: Pick<Screens, 'url'>,
  member: Pick<SignedIn, 'cookie'> | null,
  path: string,
  { size = 'desktop', ...options }: OpenOptions = {},
): Promise<Page> {
  const context = await browser.newContext({
    viewport: SIZES[size],
    reducedMotion: 'reduce',
    ...(size === 'phone' ? { hasTouch: true } : {}),
    ...options,
  })
  if (member) {
    await context.addCookies([browserCookie(member.cookie, url)])
  }
  const page = await context.newPage()
  await page.goto(url + path)
  return page
}

/** No finding of axe: all rules in light; dark differs by its colours alone. */
export async function assertAccessible(page: Page): Promise<void> {
  for (const theme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme: theme, reducedMotion: 'reduce' })
    assert.deepEqual(await violations(page, theme === 'dark' ? { only: ['color-contrast'] } : {}), [], theme)
  }
  await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' })
}

/** Presses keys that belong together: so soon after each other that no load makes them two commands. */
export async function pressTogether(page: Page, ...keys: readonly string[]): Promise<void> {
  await Promise.all(keys.map((key) => page.keyboard.press(key)))
}
