import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { fold } from '../../../src/lib/pure/fold.ts'
import { anyText } from '../../support/texts.ts'

describe('a folded name', () => {
  for (const [text, folded] of [
    ['Rollout of 40 seats', 'rollout of 40 seats'],
    ['Łukasz', 'lukasz'],
    ['Søren Ångström', 'soren angstrom'],
    ['ÆSIR œuvre', 'aesir oeuvre'],
    ['STRAẞE Straße', 'strasse strasse'],
    ['Ðorđe Þór Ħal Ŧ', 'dorde thor hal t'],
    ['İstanbul ISPARTA ısı', 'istanbul isparta isi'],
    ['Việt Nam', 'viet nam'],
    ['ﬁne ① ｆｕｌｌ', 'fine 1 full'],
    ['日本 Ελλάδα Ёлка', '日本 ελλαδα елка'],
    ['', ''],
    ['O’Neill O´Neill O\u02bcNeill', "o'neill o'neill o'neill"],
    ['Jean\u2010Luc Jean\u2011Luc', 'jean-luc jean-luc'],
    ['\u200eKon\u00adtor\u200b Nord\ufeff', 'kontor nord'],
    ['👨\u200d👩\u200d👧 ❤\ufe0f', '👨👩👧 ❤'],
    ['علی\u200cرضا کـــریم', 'عليرضا كريم'],
    ['فاطمة مصطفى', 'فاطمه مصطفي'],
  ] as const) {
    test(`of ${JSON.stringify(text)} is ${JSON.stringify(folded)}`, () => assert.equal(fold(text), folded))
  }

  test('is the same for both forms of an accent', () => {
    for (const text of ['Å', 'é', 'ệ', '각', 'ﾊﾟ'])
      assert.equal(fold(text.normalize('NFD')), fold(text.normalize('NFC')))
  })

  test('is well-formed and has at most 255 units, so that it fits into a cursor', () => {
    for (const text of ['x'.repeat(500), '🚀'.repeat(200), `x${'🚀'.repeat(200)}`, '\ufdfa'.repeat(100)]) {
      assert.ok(fold(text).length <= 255 && fold(text).length >= 254)
      assert.ok(fold(text).isWellFormed())
    }
    fc.assert(
      fc.property(anyText({ maxLength: 300 }), (text) => {
        const folded = fold(text)
        assert.ok(folded.length <= 255 && folded.isWellFormed())
        if (folded.length < 200) assert.equal(fold(folded), folded)
      }),
    )
  })
})
