import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { test } from 'node:test'
import { noBrowser, startChromium } from './chromium.ts'

test('pages wait for as long as all of a test', { skip: noBrowser }, () => {
  const script = `
    import { startChromium } from ${JSON.stringify(import.meta.resolve('./chromium.ts'))}
    const browser = await startChromium()
    const page = await browser.newPage()
    for (const come of [() => page.click('b'), () => page.waitForURL('https://never.example')])
      await come().catch(({ message }) => console.log(message.split('\\n')[0]))
    await browser.close()`
  const argv = ['--disable-warning=ExperimentalWarning', '--input-type=module', '--eval', script]
  const { stdout, stderr } = spawnSync(process.execPath, argv, {
    encoding: 'utf8',
    env: { ...process.env, TEST_WAIT: '0.25' },
  })
  assert.equal(stdout.match(/Timeout 250ms exceeded/g)?.length, 2, stdout + stderr)
})

test('a page in which time passes faster waits for its answers as long as any', { skip: noBrowser }, async (t) => {
  const browser = await startChromium()
  t.after(() => browser.close())
  const page = await browser.newPage()
  const aborted = async () => {
    await page.evaluate(() => Object.assign(globalThis, { signal: AbortSignal.timeout(30_000), begun: Date.now() }))
    await page.clock.runFor(60_000)
    return page.evaluate(() => {
      const { signal, begun } = globalThis as unknown as { signal: AbortSignal; begun: number }
      return [signal.aborted, Date.now() - begun >= 60_000]
    })
  }
  await page.clock.install()
  assert.deepEqual(await aborted(), [false, true])
  await page.goto('data:text/html,a page that is loaded afterwards')
  assert.deepEqual(await aborted(), [false, true])
})
