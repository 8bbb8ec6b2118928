import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { matches, queryOf, wordsOf } from '../../src/lib/words.ts'
import { startCpuClock } from '../support/cpu-clock.ts'
import { anyText } from '../support/texts.ts'

/** Whether somebody who types the query finds a record with this text. */
const finds = (query: string, text: string | null): boolean => matches(wordsOf([text]).join(' '), queryOf(query))
const findsPhone = (query: string, phone: string): boolean => matches(wordsOf([], [phone]).join(' '), queryOf(query))

const WORD = /^[\p{L}\p{N}]+$/u
const unicode = anyText({ maxLength: 60 })

describe('the words of a text', () => {
  for (const [text, words] of [
    ['Rollout of 40 seats', ['rollout', 'of', '40', 'seats']],
    ['ana.lindqvist+crm@Example.COM', ['ana', 'lindqvist', 'crm', 'example', 'com']],
    ['Straße ŁÓDŹ Søren', ['strasse', 'lodz', 'soren', 'soeren']],
    ["O'Brien – Müller/Meyer", ['o', 'brien', 'muller', 'meyer', 'obrien', 'mueller']],
    ['Køb d’Été Århus', ['kob', 'd', 'ete', 'arhus', 'dete', 'koeb', 'aarhus']],
    ['ΟΔΥΣΣΕΥΣ ὀδύσσεια', ['οδυσσευσ', 'οδυσσεια']],
    ['日本語の会社、東京', ['日本', '本語', '語の', 'の会', '会社', '社', '東京', '京']],
    ['第3回ABC展', ['第', '3', '回', 'abc', '展']],
    ['ネットワーク', ['ネッ', 'ット', 'トワ', 'ワー', 'ーク', 'ク']],
    ['شركة النُّور', ['شركه', 'النور']],
    ['نـــور می\u200cخوانم', ['نور', 'ميخوانم']],
    ['x² ½ ⅷ Ⅳ', ['x2', '1', '2', 'viii', 'iv']],
    ['٢٠٢٧ २०२७ ２０２７', ['2027']],
    ['🚀 — !? … 👩‍💻 ✓', []],
    ['a\u0000b\ud800c', ['a', 'b', 'c']],
    ['twice Twice TWICE', ['twice']],
    ['', []],
    ['x'.repeat(100), ['x'.repeat(64)]],
    ['𝐀'.repeat(100), ['a'.repeat(64)]],
    ['𐐷'.repeat(100), ['𐐷'.repeat(64)]],
  ] as const) {
    test(`${JSON.stringify(text.slice(0, 40))} are ${words.length}`, () => assert.deepEqual(wordsOf([text]), words))
  }

  test('are letters and digits alone, each once, and up to 64 characters', () => {
    fc.assert(
      fc.property(fc.array(fc.oneof(unicode, fc.constant(null))), fc.array(unicode), (texts, phones) => {
        const words = wordsOf(texts, phones)
        assert.equal(new Set(words).size, words.length)
        for (const word of words) assert.ok(WORD.test(word) && (/^\d+$/.test(word) || [...word].length <= 64), word)
      }),
    )
  })

  test('have digits of one script, whichever they were written in', () => {
    for (let code = 0; code <= 0x10ffff; code++) {
      const digit = String.fromCodePoint(code)
      if (/\p{Nd}/u.test(digit)) assert.match(wordsOf([digit]).join(), /^[0-9]$/, digit)
    }
    for (const [digits, value] of [
      ['٠٩', '09'],
      ['०९', '09'],
      ['๐๙', '09'],
      ['𝟘𝟡', '09'],
      ['𞥐𞥙', '09'],
    ] as const)
      assert.deepEqual(wordsOf([digits]), [value])
  })

  test('of 256 KiB are found in a moment', () => {
    for (const unit of ['word ', 'é', '日', 'a1-', '\u0301', '٣', ' ']) {
      const text = unit.repeat(262_144 / Buffer.byteLength(unit))
      const spent = startCpuClock()
      wordsOf([text])
      assert.ok(spent() < 1000, JSON.stringify(unit))
    }
  })
})

describe('a text is found', () => {
  for (const [query, text] of [
    ['lodz', 'ŁÓDŹ'],
    ['Łó', 'lodz'],
    ['strasse', 'Straße'],
    ['straß', 'STRASSE'],
    ['SOREN', 'søren'],
    ['aeg', 'Ægir'],
    ['οδυσς', 'Οδυσσέας'],
    ['ΟΔΥΣ', 'οδυσσεύς'],
    ['한', '한국'],
    ['하', '한국'],
    ['日本', '日本語の会社'],
    ['本語の', '日本語の会社'],
    ['社', '日本語の会社'],
    ['語の会社', '日本語の会社'],
    ['山商', '株式会社小山商店'],
    ['네트', '주식회사새벽네트웍스'],
    ['새벼', '주식회사새벽네트웍스'],
    ['ㅂ', '주식회사새벽네트웍스'],
    ['รุ่งเรือง', 'บริษัทสยามรุ่งเรือง'],
    ['ວຽງ', 'ບໍລິສັດນະຄອນວຽງຈັນ'],
    ['ភ្នំ', 'ក្រុមហ៊ុនភ្នំពេញ'],
    ['ဖောင်', 'ရွှေဖောင်ကုမ္ပဏီ'],
    ['ﾈｯﾄ', '東京ネットワーク'],
    ['ＡＢＣ商', '新ABC商事'],
    ['2026年', '平成2026年度'],
    ['oneill', "Shane O'Neill"],
    ['o’neill', 'Shane ONeill'],
    ['o neill', 'Shane O´Neill'],
    ['dangelo', 'D`Angelo'],
    ['oneil', 'O\u02bcNeill'],
    ['צהל', 'צה״ל'],
    ['צה"ל', 'צהל'],
    ['Goethe', 'Göthe'],
    ['göthe', 'Goethe'],
    ['GROESSE', 'Größe'],
    ['moeller', 'Møller'],
    ['aage', 'Åge'],
    ['Åge', 'Aage'],
    ["d'oeuvre", 'Hors d’œuvre'],
    ['kontor', 'Kon\u00adtor'],
    ['kon\u200btor', 'Kontor'],
    ['محمد', 'محـــمد'],
    ['علیرضا', 'علی\u200cرضا'],
    ['فاطمه', 'فاطمة'],
    ['ｶﾞ', 'ガス'],
    ['النو', 'النُّور'],
    ['हिन', 'हिन्दी कंपनी'],
    ['நிறு', 'நிறுவனம்'],
    ['2027', '٢٠٢٧'],
    ['٤٠', '40 seats'],
    ['ana@exam', 'ana.lindqvist@example.com'],
    ['lindqvist@', 'ana.lindqvist@example.com'],
    ['ana.lind', 'ana.lindqvist@example.com'],
    ['seats roll', 'Rollout of 40 seats'],
    ['"roll*" (seats)', 'Rollout of 40 seats'],
  ] as const) {
    test(`${JSON.stringify(text)} by ${JSON.stringify(query)}`, () => {
      assert.ok(finds(query, text))
      assert.ok(
        finds(query.normalize('NFD'), text.normalize('NFC')) && finds(query.normalize('NFC'), text.normalize('NFD')),
      )
    })
  }

  for (const [query, text] of [
    ['seats', 'Rollout'],
    ['ollout', 'Rollout'],
    ['rollout seats', 'Rollout'],
    ['roll out', 'Rollout'],
    ['rollouts', 'Rollout'],
    ['日語', '日本語の会社'],
    ['本日', '日本語の会社'],
    ['한미', '주식회사한빛물산'],
    ['aoel', 'Paul'],
    ['a', null],
    ['', 'Rollout'],
    [' ', 'Rollout'],
    ['🚀', 'Rollout 🚀'],
    ['"*', 'Rollout "*'],
  ] as const) {
    test(`${JSON.stringify(text)} not by ${JSON.stringify(query)}`, () => assert.ok(!finds(query, text)))
  }

  test('by the beginning of each of its words, in any order, case and normal form, with and without accents', () => {
    const pick = fc.array(fc.tuple(fc.nat(), fc.integer({ min: 1, max: 64 })), { minLength: 1, maxLength: 5 })
    const letters = fc.string({ unit: fc.constantFrom(...'aéßłØ日ΣЁ한١ 9-ñ'), minLength: 1, maxLength: 30 })
    fc.assert(
      fc.property(
        // Some rare letters become others in upper case.
        fc.oneof(fc.tuple(letters, fc.boolean()), fc.tuple(unicode, fc.constant(false))),
        pick,
        fc.constantFrom('NFKC', 'NFKD'),
        ([text, upper], picks, form) => {
          const typed = text.normalize(form).match(/[\p{L}\p{M}\p{N}]+/gu) ?? []
          if (typed.length === 0) return
          const begun = picks.map(([which, length]) =>
            [...(typed[which % typed.length] as string)].slice(0, length).join(''),
          )
          const query = (upper ? begun.join(' ').toUpperCase() : begun.join(' ')).slice(0, 2000)
          // What is a mark alone is no word, and finds nothing by itself.
          if (queryOf(query).length === 0) return
          assert.ok(finds(query, text), JSON.stringify([query, text]))
        },
      ),
      { numRuns: 800 },
    )
  })

  test('by its first 20 words; more of a query are not looked at', () => {
    const words = Array.from({ length: 25 }, (_, at) => `w${at}`)
    assert.ok(finds(words.join(' '), words.slice(0, 20).join(' ')))
    assert.ok(!finds(words.join(' '), words.slice(0, 19).join(' ')))
    assert.equal(queryOf('a '.repeat(30)).flat().length, 1)
  })

  test('by a word of more than 64 characters, as far as it is kept', () => {
    for (const letter of ['x', 'é', '𐐷']) {
      assert.ok(finds(letter.repeat(100), letter.repeat(64)) && finds(letter.repeat(64), letter.repeat(100)))
      assert.ok(!finds(letter.repeat(64), letter.repeat(63)))
    }
  })
})

describe('a phone number', () => {
  const PHONES = [
    '+49 (30) 1234-567',
    '+49 30 1234567',
    '+49 (0)30 1234567',
    '0049 30 1234567',
    '+49.30.1234.567',
    '+٤٩٣٠١٢٣٤٥٦٧',
  ]

  test('is found in every spelling, with its country and without', () => {
    for (const phone of PHONES) {
      for (const query of [
        ...PHONES,
        '030 1234567',
        '(030) 1234-567',
        '030/1234567',
        '0301234',
        '1234567',
        '1234 567',
        '\u200e30\u00a01234\u2011567',
        '4567',
        '٤٥٦٧',
      ])
        assert.ok(findsPhone(query, phone), `${query} ${phone}`)
    }
    for (const query of ['030 1234567', '(030) 1234', '301234', '1234-567'])
      assert.ok(findsPhone(query, '030 / 1234567'), query)
  })

  test('with a zero for calls from inside is found with it and without', () => {
    for (const query of ['49030123', '4930123', '(0)89 123', '+49 (0)89'])
      assert.ok(findsPhone(query.replace('89', '30'), '+49 (0)30 1234567'), query)
    assert.ok(findsPhone('+49 (0)89 1234567', '+49 89 1234567'))
  })

  test('is not found by other digits', () => {
    for (const query of ['2345678', '030 1235', '0049 40 1234567', '+48 30 1234567', '7654', '567 30'])
      assert.ok(!findsPhone(query, '+49 30 1234567'), query)
  })

  test('is found by any run of four digits or more, however it is grouped', () => {
    const digits = fc.string({ unit: fc.constantFrom(...'0123456789'), minLength: 4, maxLength: 15 })
    const signs = fc.array(fc.constantFrom('', '', '', ' ', '-', '.', '/', '(', ')', ') '), {
      minLength: 15,
      maxLength: 15,
    })
    const grouped = (text: string, between: string[]) => [...text].map((digit, at) => digit + between[at]).join('')
    fc.assert(
      fc.property(digits, signs, signs, fc.nat(), fc.nat(), (number, stored, typed, start, length) => {
        const from = start % (number.length - 3)
        const run = number.slice(from, from + 4 + (length % (number.length - from - 3)))
        if (/\(0\)/.test(grouped(number, stored) + grouped(run, typed))) return
        assert.ok(findsPhone(grouped(run, typed), `+${grouped(number, stored)}`), JSON.stringify([run, number]))
      }),
      { numRuns: 800 },
    )
  })

  test('is found by its groups, also short ones, and with its extension', () => {
    for (const query of ['49', '30', '+49 30', 'ext 12', '12'])
      assert.ok(findsPhone(query, '+49 30 123 ext. 12'), query)
  })

  test('of a text is no number: a date or a price is found by its own words', () => {
    assert.ok(finds('2026-11-20', 'Kick-off 2026-11-20') && !finds('1120', 'Kick-off 2026-11-20'))
    assert.deepEqual(queryOf('ana 1234567'), [['ana', '1234567']])
    assert.deepEqual(queryOf('12 34'), [['12', '34'], ['1234']])
    assert.deepEqual(queryOf('0012 3'), [['0012', '3'], ['00123']])
    assert.deepEqual(queryOf('1234'), [['1234']])
  })
})
