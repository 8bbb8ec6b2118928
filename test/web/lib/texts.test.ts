import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { de } from '../../../src/web/lib/texts/de.ts'
import { en } from '../../../src/web/lib/texts/en.ts'
import type { Texts } from '../../../src/web/lib/texts/like.ts'
import { pluralOf } from '../../../src/web/lib/texts/plural.ts'
import { pseudo, pseudoOf } from '../../../src/web/lib/texts/pseudo.ts'
import { textFiles } from '../../../src/web/screens/texts/files.ts'

const root = join(import.meta.dirname, '../../..')

function leaves(texts: Texts, path = ''): [string, Texts[string]][] {
  return Object.entries(texts).flatMap(([key, text]) =>
    typeof text === 'object' ? leaves(text, `${path}${key}.`) : [[path + key, text] as [string, Texts[string]]],
  )
}

test('German has every text, with as many values, and no text is left in English', () => {
  const german = new Map(leaves(de))
  assert.deepEqual(
    [...german.keys()].sort(),
    leaves(en)
      .map(([key]) => key)
      .sort(),
  )
  for (const [key, text] of leaves(en)) {
    const other = german.get(key)
    assert.equal(typeof other, typeof text, key)
    if (typeof text === 'string' && text.length > 8) assert.notEqual(other, text, key)
  }
})

test('no text has an exclamation mark or an Oops', () => {
  for (const [key, text] of [...leaves(en), ...leaves(de)]) {
    const said = typeof text === 'function' ? (text as (...values: unknown[]) => string)('x', 'y') : String(text)
    assert.doesNotMatch(said, /!|oops/i, key)
  }
})

test('a number takes its form after the rules of the language', () => {
  assert.equal(en.results(1), '1 choice')
  assert.equal(en.results(1204), '1,204 choices')
  assert.equal(de.results(0), '0 Auswahlen')
  assert.equal(pluralOf('de').count(1204, { one: 'Kontakt', other: 'Kontakte' }), '1.204 Kontakte')
})

test('the pseudo language is 40 % longer and keeps what a text is made of', () => {
  assert.ok(pseudo('Save this view').length >= 'Save this view'.length * 1.4)
  const texts = pseudoOf(en)
  assert.match(texts.saved, /^\[Sávëd~+\]$/)
  assert.match(texts.create('Acme'), /Ácmë/)
  assert.match(texts.crash.again, /Shöw ït/)
})

test('each part of the app finds its own texts in the files that several share, and none is there for nobody', async () => {
  const [en, de, later] = await Promise.all([textFiles.en(), textFiles.de(), textFiles.later()])
  const isThere = { firstTexts: { en, de }, laterGerman: { de: later } }
  const asked = { firstTexts: [] as string[], laterGerman: [] as string[] }
  for (const file of globSync('src/web/**/*.ts', { cwd: root })) {
    const calls = readFileSync(join(root, file), 'utf8').matchAll(/\b(firstTexts|laterGerman)(?:<.+?>)?\('(\w+)'\)/g)
    for (const [, from, part] of calls as Iterable<[string, keyof typeof asked, string]>) {
      asked[from].push(part)
      for (const [language, { parts }] of Object.entries(isThere[from])) {
        const own = await import(join(root, dirname(file), `${language}.ts`))
        assert.equal(parts[part as never], own[language], `${file}: ${part} in ${language}`)
      }
    }
  }
  assert.deepEqual(asked.firstTexts.sort(), Object.keys(en.parts).sort())
  assert.deepEqual(asked.firstTexts, Object.keys(de.parts).sort())
  assert.deepEqual(asked.laterGerman.sort(), Object.keys(later.parts).sort())
})
