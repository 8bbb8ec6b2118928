import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { test } from 'node:test'
import { noBrowser } from './chromium.ts'

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
