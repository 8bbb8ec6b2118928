import assert from 'node:assert/strict'
import { test } from 'node:test'
import { screens } from '../../../src/web/screens.ts'
import { createDispatcher, SEQUENCE_MS } from '../../../src/web/shell/commands/dispatch.ts'
import { ariaKeys, keyLabel, keyLabels, overlap, strokeOf } from '../../../src/web/shell/commands/keys.ts'
import { type Command, conflictsOf } from '../../../src/web/shell/commands/registry.ts'

const press = (key: string, more: Record<string, unknown> = {}) => ({
  key,
  code: '',
  ctrlKey: false,
  metaKey: false,
  shiftKey: false,
  altKey: false,
  ...more,
})

const command = (id: string, keys: string, more: Partial<Command> = {}): Command => ({
  id,
  title: () => id,
  group: 'app',
  keys,
  run: () => undefined,
  ...more,
})

function typing(commands: Command[], more: Record<string, unknown> = {}) {
  const dispatcher = createDispatcher()
  let now = 1000
  return {
    wait: (ms: number) => {
      now += ms
    },
    type(stroke: string, situation: Record<string, unknown> = {}): string | null {
      now += 10
      const found = dispatcher.press(stroke, {
        commands,
        bindings: { singles: true, keys: {} },
        context: { targets: null, element: null },
        isInField: false,
        isInDialog: false,
        now,
        ...more,
        ...situation,
      })
      return found === null || found === 'begun' ? found : found.id
    },
  }
}

test('a stroke has the name of the registry on every system', () => {
  assert.equal(strokeOf(press('k', { ctrlKey: true }), false), 'mod+k')
  assert.equal(strokeOf(press('k', { metaKey: true }), true), 'mod+k')
  assert.equal(strokeOf(press('J', { shiftKey: true }), false), 'shift+j')
  assert.equal(strokeOf(press('?', { shiftKey: true }), false), '?')
  assert.equal(strokeOf(press('Z', { metaKey: true, shiftKey: true }), true), 'mod+shift+z')
  assert.equal(strokeOf(press(' '), false), 'Space')
})

test('Alt, the system keys and modifiers alone are no strokes', () => {
  assert.equal(strokeOf(press('d', { altKey: true }), false), null)
  assert.equal(strokeOf(press('@', { altKey: true, ctrlKey: true }), false), null)
  assert.equal(strokeOf(press('k', { ctrlKey: true }), true), null)
  assert.equal(strokeOf(press('k', { metaKey: true }), false), null)
  assert.equal(strokeOf(press('Shift', { shiftKey: true }), false), null)
})

test('a letter of another script counts by its place on the keyboard', () => {
  assert.equal(strokeOf(press('о', { code: 'KeyJ' }), false), 'j')
  assert.equal(strokeOf(press('z', { code: 'KeyY' }), false), 'z')
})

test('a sign is itself on each layout, whatever letter others have at its place', () => {
  const places: [sign: string, code: string, shiftKey?: boolean][] = [
    ['?', 'KeyM', true], // AZERTY
    [',', 'KeyM'],
    [',', 'KeyW'], // Dvorak
    ['.', 'KeyE'],
    [';', 'KeyZ'],
    ['/', 'KeyQ', true], // Turkish F
    ['"', 'KeyQ'], // Arabic and others have signs at places of letters
  ]
  for (const [sign, code, shiftKey = false] of places)
    assert.equal(strokeOf(press(sign, { code, shiftKey }), false), sign, `${sign} at ${code}`)
  assert.equal(strokeOf(press('ם', { code: 'KeyO' }), false), 'o')
  assert.equal(strokeOf(press('ק', { code: 'KeyE', ctrlKey: true }), false), 'mod+e')
  assert.equal(strokeOf(press('é', { code: 'Digit2' }), false), 'é')
})

test('labels follow the system', () => {
  assert.deepEqual(keyLabels('g d', false), ['G', 'D'])
  assert.equal(keyLabel('mod+k', false), 'Ctrl K')
  assert.equal(keyLabel('mod+k', true), '⌘K')
  assert.equal(keyLabel('shift+j', true), '⇧J')
  assert.equal(keyLabel('Escape', false), 'Esc')
  assert.equal(ariaKeys('mod+k', false), 'Control+K')
  assert.equal(ariaKeys('mod+k', true), 'Meta+K')
  assert.equal(ariaKeys('g d', false), undefined)
})

test('a sequence runs its command, and a wrong key after its beginning begins anew', () => {
  const { type } = typing([command('deals', 'g d'), command('delete', 'd')])
  assert.equal(type('g'), 'begun')
  assert.equal(type('d'), 'deals')
  assert.equal(type('g'), 'begun')
  assert.equal(type('x'), null)
  assert.equal(type('d'), 'delete')
  assert.equal(type('g'), 'begun')
  assert.equal(type('g'), 'begun')
  assert.equal(type('d'), 'deals')
})

test('a begun sequence is given up after a while', () => {
  const { type, wait } = typing([command('deals', 'g d'), command('delete', 'd')])
  assert.equal(type('g'), 'begun')
  wait(SEQUENCE_MS)
  assert.equal(type('d'), 'delete')
})

test('inside fields only commands that say so act', () => {
  const { type } = typing([command('note', 'n'), command('palette', 'mod+k', { isInFields: true })], {
    isInField: true,
  })
  assert.equal(type('n'), null)
  assert.equal(type('mod+k'), 'palette')
})

test('while a dialog is open only its own commands act', () => {
  const { type } = typing([command('note', 'n'), command('keep', 'k', { where: 'dialog' })], { isInDialog: true })
  assert.equal(type('n'), null)
  assert.equal(type('k'), 'keep')
})

test('single keys can be switched off, and keys can be changed or taken away', () => {
  const { type } = typing([command('note', 'n'), command('deals', 'g d'), command('palette', 'mod+k')])
  const off = { bindings: { singles: false, keys: {} } }
  assert.equal(type('n', off), null)
  assert.equal(type('g', off), null)
  assert.equal(type('mod+k', off), 'palette')
  const changed = { bindings: { singles: true, keys: { note: 'y', deals: '' } } }
  assert.equal(type('n', changed), null)
  assert.equal(type('y', changed), 'note')
  assert.equal(type('g', changed), null)
})

test('an inner place wins over an outer one, and a command that is not offered leaves its key to the next', () => {
  const isOpen = { value: true }
  const commands = [
    command('app', 'n', { where: 'anywhere' }),
    command('panel', 'n', { where: 'panel', when: () => isOpen.value }),
  ]
  const { type } = typing(commands)
  assert.equal(type('n'), 'panel')
  isOpen.value = false
  assert.equal(type('n'), 'app')
})

test('two commands with the same keys in one place are a conflict, also if one begins the other', () => {
  const ids = (list: Command[]) => conflictsOf(list).map(([one, other]) => `${one.id} ${other.id}`)
  assert.deepEqual(ids([command('a', 'n'), command('b', 'n')]), ['a b'])
  assert.deepEqual(ids([command('a', 'g'), command('b', 'g d')]), ['a b'])
  assert.deepEqual(ids([command('a', 'g d'), command('b', 'g c')]), [])
  assert.deepEqual(ids([command('a', 'n'), command('b', 'n', { where: 'panel' })]), [])
  assert.ok(!overlap('c', 'd'))
})

test('g and a letter go to the places', () => {
  assert.deepEqual(Object.fromEntries(screens.flatMap(({ path, nav }) => (nav ? [[nav.key, path]] : []))), {
    i: '/inbox',
    t: '/tasks',
    d: '/deals',
    c: '/contacts',
    o: '/companies',
    l: '/lists',
    m: '/meetings',
    s: '/sequences',
    r: '/reports',
  })
})
