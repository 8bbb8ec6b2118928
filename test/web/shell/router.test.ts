import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createRouter, type Host, urlOf } from '../../../src/web/lib/router/create.ts'
import { addressInside, isPlainClick } from '../../../src/web/lib/router/links.ts'
import { findEntry, matchPath, pathOf } from '../../../src/web/lib/router/match.ts'
import type { ScreenEntry, ScreenModule } from '../../../src/web/lib/router/types.ts'

/** A history and an address without a window. */
function tab(url: string) {
  const entries = [{ url, key: null as string | null }]
  let at = 0
  let onPop = () => {}
  const arrivals: string[] = []
  const host: Host = {
    url: () => entries[at]?.url ?? '',
    key: () => entries[at]?.key ?? null,
    push(url, key) {
      entries.splice(++at, entries.length, { url, key })
    },
    replace(url, key) {
      entries[at] = { url, key }
    },
    onPop(listener) {
      onPop = listener
      return () => {}
    },
    wait: () => new Promise(() => {}),
    saveScroll: (key) => arrivals.push(`left ${entries.find((entry) => entry.key === key)?.url}`),
    shown: ({ shown, isNewScreen, isReturn }) => {
      const marks = [isNewScreen ? 'new' : '', isReturn ? 'return' : ''].filter((mark) => mark !== '')
      arrivals.push([`${shown.kind} ${shown.place.path}`, ...marks].join(' '))
    },
  }
  return {
    host,
    arrivals,
    addresses: () => entries.map((entry) => entry.url),
    address: () => entries[at]?.url,
    async go(steps: number) {
      at += steps
      onPop()
      await settled()
    },
  }
}

const settled = () => new Promise((resolve) => setImmediate(resolve))

const Component = () => null
const screen = (
  path: string,
  load: () => Promise<ScreenModule> = async () => ({ Screen: Component }),
): ScreenEntry => ({
  path,
  title: () => path,
  load,
})

test('a path fits a pattern part by part', () => {
  assert.deepEqual(matchPath('/deals/:id', '/deals/42'), { id: '42' })
  assert.deepEqual(matchPath('/deals/:id', '/deals/a%20b'), { id: 'a b' })
  assert.deepEqual(matchPath('/', '/'), {})
  assert.equal(matchPath('/deals/:id', '/deals'), null)
  assert.equal(matchPath('/deals', '/deals/42'), null)
  assert.equal(matchPath('/deals/:id', '/deals/%E0%A4%A'), null)
  assert.equal(pathOf('/deals/:id', { id: 'a b' }), '/deals/a%20b')
})

test('the entry with fewer parameters wins', () => {
  const found = findEntry([{ path: '/deals/:id' }, { path: '/deals/new' }], '/deals/new')
  assert.deepEqual(found, { entry: { path: '/deals/new' }, params: {} })
})

test('the old screen stays, with its address, until the new one is there', async () => {
  let arrive = (_module: ScreenModule) => {}
  const slow = new Promise<ScreenModule>((resolve) => {
    arrive = resolve
  })
  const { host, address } = tab('/deals')
  const router = createRouter([screen('/deals'), screen('/tasks', () => slow)], host)
  await router.start()
  const going = router.navigate('/tasks?due=today')
  await settled()
  assert.equal(router.path.value, '/deals')
  assert.equal(address(), '/deals')
  assert.equal(router.isLoading.value, true)
  arrive({ Screen: Component })
  await going
  assert.equal(router.path.value, '/tasks')
  assert.equal(router.query.value.get('due'), 'today')
  assert.equal(address(), '/tasks?due=today')
  assert.equal(router.isLoading.value, false)
})

test('a click on another link while a screen loads goes to the other one', async () => {
  const loads = new Map<string, (module: ScreenModule) => void>()
  const slow = (path: string) => screen(path, () => new Promise<ScreenModule>((resolve) => loads.set(path, resolve)))
  const { host, addresses } = tab('/deals')
  const router = createRouter([screen('/deals'), slow('/tasks'), slow('/contacts')], host)
  await router.start()
  const first = router.navigate('/tasks')
  const second = router.navigate('/contacts')
  loads.get('/contacts')?.({ Screen: Component })
  await second
  loads.get('/tasks')?.({ Screen: Component })
  await first
  assert.equal(router.path.value, '/contacts')
  assert.deepEqual(addresses(), ['/deals', '/contacts'])
})

/** Screens whose list comes when somebody goes to one of them. */
function later(path: string, came: () => Promise<readonly ScreenEntry[]>): ScreenEntry {
  return { path, title: () => path, more: came }
}

test('a list of screens comes with the first of them, once, and keeps its place', async () => {
  let asked = 0
  const list = async () => {
    asked += 1
    return [screen('/settings/me'), screen('/settings/members')]
  }
  const { host } = tab('/deals')
  const router = createRouter([screen('/deals'), later('/settings/:section', list), screen('/tasks')], host)
  await router.start()
  assert.equal(asked, 0)
  await router.navigate('/settings/members')
  assert.equal(router.shown.value?.kind === 'screen' && router.shown.value.entry.path, '/settings/members')
  await router.navigate('/settings/me')
  await router.loadEntries()
  assert.equal(asked, 1)
  assert.deepEqual(
    router.entries.value.map(({ path }) => path),
    ['/deals', '/settings/me', '/settings/members', '/tasks'],
  )
  await router.navigate('/settings/nothing')
  assert.equal(router.shown.value?.kind, 'missing')
})

test('a list of screens that did not come is asked for again, and holds up nobody who went elsewhere', async () => {
  const comes: ((list: readonly ScreenEntry[]) => void)[] = []
  const fails: ((error: Error) => void)[] = []
  const list = () =>
    new Promise<readonly ScreenEntry[]>((resolve, reject) => {
      comes.push(resolve)
      fails.push(reject)
    })
  const { host } = tab('/deals')
  const router = createRouter([screen('/deals'), screen('/tasks'), later('/settings/:section', list)], host)
  await router.start()
  const first = router.navigate('/settings/me')
  fails[0]?.(new Error('offline'))
  await first
  const kind = (): string | undefined => router.shown.value?.kind
  assert.equal(kind(), 'failed')
  const second = router.navigate('/settings/nothing')
  const elsewhere = router.navigate('/tasks')
  comes[1]?.([screen('/settings/me')])
  await Promise.all([second, elsewhere])
  assert.equal(router.path.value, '/tasks')
  assert.equal(kind(), 'screen')
  await router.navigate('/settings/me')
  assert.equal(kind(), 'screen')
})

test('a screen waits for its first data, but not longer than the patience', async () => {
  const { host } = tab('/deals')
  let give = () => {}
  const patience: Promise<void>[] = []
  host.wait = (ms) => {
    assert.equal(ms, 300)
    const waiting = new Promise<void>((resolve) => {
      give = resolve
    })
    patience.push(waiting)
    return waiting
  }
  const never = async () => ({ Screen: Component, prepare: () => new Promise(() => {}) })
  const router = createRouter([screen('/deals'), screen('/tasks', never)], host)
  await router.start()
  const going = router.navigate('/tasks')
  await settled()
  assert.equal(router.path.value, '/deals')
  give()
  await going
  assert.equal(router.path.value, '/tasks')
})

test('a change of the query keeps the screen and the rest of the query', async () => {
  const { host, addresses, arrivals } = tab('/deals?owner=me')
  const router = createRouter([screen('/deals')], host)
  await router.start()
  const before = router.shown.value
  await router.setQuery({ sort: 'amount,title' })
  assert.equal(addresses().at(-1), '/deals?owner=me&sort=amount,title')
  await router.setQuery({ owner: null }, { replace: true })
  assert.deepEqual(addresses(), ['/deals?owner=me', '/deals?sort=amount,title'])
  await router.setQuery({ owner: null })
  assert.equal(addresses().length, 2)
  assert.equal(before?.kind === 'screen' && router.shown.value?.kind === 'screen', true)
  assert.ok(!arrivals.some((arrival) => arrival.includes('new')))
})

test('back and forward return to the address, its query and its scroll position', async () => {
  const browser = tab('/deals')
  const router = createRouter([screen('/deals'), screen('/tasks')], browser.host)
  await router.start()
  await router.navigate('/tasks?due=today')
  await browser.go(-1)
  assert.equal(router.path.value, '/deals')
  await browser.go(1)
  assert.equal(router.path.value, '/tasks')
  assert.equal(router.query.value.get('due'), 'today')
  assert.deepEqual(browser.arrivals, [
    'screen /deals return',
    'left /deals',
    'screen /tasks new',
    'left /tasks?due=today',
    'screen /deals new return',
    'left /deals',
    'screen /tasks new return',
  ])
})

test('an unknown address says so, and a screen whose files do not arrive can be tried again', async () => {
  const { host } = tab('/nothing')
  let isThere = false
  const broken = screen('/deals', async () => {
    if (!isThere) throw new Error('gone')
    return { Screen: Component }
  })
  const router = createRouter([broken], host)
  const kind = (): string | undefined => router.shown.value?.kind
  await router.start()
  assert.equal(kind(), 'missing')
  await router.navigate('/deals')
  assert.equal(kind(), 'failed')
  isThere = true
  await router.navigate('/deals', { replace: true })
  assert.equal(kind(), 'screen')
})

test('only plain clicks on links inside the app are followed', () => {
  const click = { button: 0, metaKey: false, ctrlKey: false, shiftKey: false, altKey: false, defaultPrevented: false }
  assert.ok(isPlainClick(click))
  for (const change of [{ button: 1 }, { metaKey: true }, { ctrlKey: true }, { shiftKey: true }, { altKey: true }]) {
    assert.ok(!isPlainClick({ ...click, ...change }))
  }
  assert.ok(!isPlainClick({ ...click, defaultPrevented: true }))

  const here = 'http://crm.lan/deals?sort=amount'
  const inside = (href: string, more: Record<string, unknown> = {}) =>
    addressInside({ href: new URL(href, here).href, target: '', hasAttribute: () => false, ...more }, here)
  assert.equal(inside('/tasks?due=today'), '/tasks?due=today')
  assert.equal(inside('https://elsewhere.example/'), null)
  assert.equal(inside('/reference'), null)
  assert.equal(inside('/openapi.json'), null)
  assert.equal(inside('/api/v1/deals'), null)
  assert.equal(inside('/tasks', { target: '_blank' }), null)
  assert.equal(inside('/tasks', { hasAttribute: (name: string) => name === 'download' }), null)
  assert.equal(inside('/deals?sort=amount#content'), null)
})

test('an address stays readable', () => {
  assert.equal(urlOf('/deals', new URLSearchParams({ stage: 'a,b', due: 'lt:2026' })), '/deals?stage=a,b&due=lt:2026')
  assert.equal(urlOf('/deals', new URLSearchParams()), '/deals')
})

test('an address that stands for another one leads there, and leaves no trace in the history', async () => {
  const { host, addresses } = tab('/')
  const router = createRouter([screen('/deals'), screen('/settings/me')], host, {
    '/': '/deals',
    '/settings': '/settings/me',
  })
  await router.start()
  assert.equal(router.path.value, '/deals')
  await router.navigate('/settings')
  assert.deepEqual(addresses(), ['/deals', '/settings/me'])
})

test('a link to the page one is on makes no second entry in the history', async () => {
  const { host, addresses } = tab('/deals?owner=me')
  const router = createRouter([screen('/deals')], host)
  await router.start()
  await router.navigate('/deals?owner=me')
  assert.deepEqual(addresses(), ['/deals?owner=me'])
})
