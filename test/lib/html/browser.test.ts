import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import fc from 'fast-check'
import type { Browser, Page } from 'playwright-core'
import { sanitizeHtml } from '../../../src/lib/html/sanitize.ts'
import { noBrowser, startChromium } from '../../support/chromium.ts'
import { anyHtml } from './any.ts'
import { ELEMENTS } from './harmless.ts'
import { ALL_PAYLOADS } from './payloads.ts'

// What the browser makes of sanitised HTML, which is not always what another parser makes of it.

let browser: Browser
before(async () => {
  if (!noBrowser) browser = await startChromium()
})
after(() => browser?.close())

interface Seen {
  page: Page
  /** Addresses that the page asked for, dialogs that it opened, and other pages. */
  events: string[]
}

/** A page of its own whose every request is answered here, where alert() is heard before it opens anything. */
async function open(): Promise<Seen> {
  const context = await browser.newContext()
  const page = await context.newPage()
  const events: string[] = []
  await context.route('**/*', (route) => {
    if (route.request().url() === 'https://crm.example/')
      return route.fulfill({ contentType: 'text/html', body: '<!DOCTYPE html><body>' })
    events.push(`request ${route.request().url()}`)
    return route.abort()
  })
  context.on('dialog', (dialog) => {
    events.push(`dialog ${dialog.message()}`)
    return dialog.dismiss()
  })
  context.on('page', () => events.push('page'))
  await page.goto('https://crm.example/')
  page.on('framenavigated', (frame) => events.push(`navigation ${frame.url()}`))
  return { page, events }
}

/** Runs in the browser. What in each document may do harm, after it was read and written again and again. */
function faultsInBrowser({ htmls, elements }: { htmls: readonly string[]; elements: readonly string[] }): string[] {
  // The types of the browser are not at hand here.
  // biome-ignore lint/suspicious/noExplicitAny: see above
  const { document, DOMParser, getComputedStyle } = globalThis as any
  const known = new Set(elements)
  const faults: string[] = []

  // biome-ignore lint/suspicious/noExplicitAny: an element or a fragment
  function check(root: any, html: string, where: string): void {
    const fault = (text: string) => faults.push(`${where}: ${text} from ${html.slice(0, 200)}`)
    for (const element of root.querySelectorAll('*')) {
      if (element.namespaceURI !== 'http://www.w3.org/1999/xhtml' || !known.has(element.localName))
        fault(`<${element.nodeName}>`)
      for (const { name, value } of element.attributes) {
        if (
          /^on|^(?:src(?:set|doc)|action|formaction|data|xlink:href|ping|poster|background|id|name|class)$/.test(name)
        )
          fault(`${name}=${value}`)
      }
      if (element.hasAttribute('href') && !/^(?:https?|mailto|tel):$/.test(element.protocol)) fault(element.href)
      if (element.hasAttribute('src') && !/^(?:https?:|cid:|data:image\/(?!svg))/.test(element.src)) fault(element.src)
      if (/url|image|[\\@]/.test(element.style.cssText)) fault(element.style.cssText)
      if (document.contains(element) && getComputedStyle(element).position !== 'static') fault('position')
    }
    const comments = document.createTreeWalker(root, 128)
    if (comments.nextNode()) fault('comment')
  }

  for (const html of htmls) {
    for (const tag of ['div', 'td', 'p', 'template']) {
      const host = document.createElement(tag)
      const root = () => host.content ?? host
      if (tag === 'div') document.body.append(host)
      host.innerHTML = html
      check(root(), html, tag)
      for (let times = 0; times < 3; times++) {
        host.innerHTML = host.innerHTML.toString()
        check(root(), html, `${tag} again`)
      }
      // Without scripts, where <noscript> is read as HTML.
      const parsed = new DOMParser().parseFromString(host.innerHTML, 'text/html')
      check(parsed.body, html, 'DOMParser')
      host.innerHTML = parsed.body.innerHTML
      check(root(), html, 'DOMParser again')
    }
  }
  return faults
}

/** Runs in the browser: everything that a reader does to a mail, short of following its links. */
async function touchEverything(): Promise<void> {
  // biome-ignore lint/suspicious/noExplicitAny: the types of the browser are not at hand here
  const { document, Event, requestAnimationFrame } = globalThis as any
  const names =
    'mouseover mouseenter pointerenter pointerover mousemove wheel scroll focus focusin copy cut beforecopy toggle ' +
    'beforetoggle beforematch animationstart transitionend load error begin start input change submit paste drop keydown'
  for (const element of document.querySelectorAll('*')) {
    for (const name of names.split(' ')) element.dispatchEvent(new Event(name))
    if (element.localName !== 'a') element.dispatchEvent(new Event('click'))
  }
  for (let frames = 0; frames < 3; frames++) await new Promise((resolve) => requestAnimationFrame(resolve))
}

const sanitized = () => [...ALL_PAYLOADS, ...fc.sample(anyHtml, 300)].map(sanitizeHtml)
const elements = [...ELEMENTS]

test('the browser finds nothing harmful in sanitised HTML, however often it reads and writes it', {
  skip: noBrowser,
}, async () => {
  const { page, events } = await open()
  assert.deepEqual(await page.evaluate(faultsInBrowser, { htmls: sanitized(), elements }), [])
  await page.evaluate(touchEverything)
  assert.deepEqual(events, [])
  await page.context().close()
})

test('a page that is made of sanitised HTML runs, loads and opens nothing', { skip: noBrowser }, async () => {
  const { page, events } = await open()
  const body = sanitized().map((html) => `<section>${html}</section>`)
  await page.setContent(`<!DOCTYPE html><body>${body.join('\n')}</body>`)
  await page.evaluate(touchEverything)
  assert.equal(await page.evaluate('document.body.children.length'), body.length)
  assert.deepEqual(events, [])
  await page.context().close()
})

test('both are seen to fail with HTML that is not sanitised', { skip: noBrowser }, async () => {
  const bad = [
    '<img src=x onerror=alert(1)>',
    '<a href="java\tscript:alert(1)">x</a>',
    '<svg><a xlink:href="javascript:alert(1)">x</a></svg>',
    '<b style="position:fixed">x</b>',
    '<b style="background:url(https://evil.example/b.png)">x</b>',
    '<!-- x -->',
  ]
  const { page, events } = await open()
  const faults = await page.evaluate(faultsInBrowser, { htmls: bad, elements })
  for (const html of bad)
    assert.ok(
      faults.some((fault) => fault.endsWith(html)),
      html,
    )
  await page.setContent(`${bad.join('')}<script>alert(2)</script><p onfocus=alert(3)>`)
  await page.evaluate(touchEverything)
  for (const expected of [
    /^dialog 1/,
    /^dialog 2/,
    /^dialog 3/,
    /^request https:\/\/crm.example\/x/,
    /^request .*b\.png/,
  ])
    assert.ok(
      events.some((event) => expected.test(event)),
      `${expected} in ${events}`,
    )
  await page.context().close()
})
