import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Page } from 'playwright-core'

type Finding = { id: string; nodes: { target: string[]; failureSummary?: string }[] }
type InPage = { document: unknown; axe: { run(what: unknown, options: object): Promise<{ violations: Finding[] }> } }

let source: string | undefined

/**
 * What axe finds wrong with the page as it is now, a line for each element. It runs in the page itself: the package for
 * Playwright opens a second page for each look, which takes five times as long.
 */
export async function violations(page: Page, { only }: { only?: string[] } = {}): Promise<string[]> {
  source ??= readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
  if (!(await page.evaluate(() => 'axe' in globalThis))) await page.evaluate(source)
  const options = {
    resultTypes: ['violations'],
    ...(only ? { runOnly: only } : { rules: { 'target-size': { enabled: true } } }),
  }
  const found = await page.evaluate(async (options) => {
    const { axe, document } = globalThis as unknown as InPage
    return (await axe.run(document, options)).violations
  }, options)
  return found.flatMap(({ id, nodes }) =>
    nodes.map(({ target, failureSummary }) => `${id} at ${target.join(' ')}: ${failureSummary}`),
  )
}
