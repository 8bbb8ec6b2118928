import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { fileName } from '../../src/lib/file-name.ts'

describe('the name of a file', () => {
  for (const [given, expected] of [
    ['invoice.pdf', 'invoice.pdf'],
    ['Übersicht 2026 (final), "neu".xlsx', 'Übersicht 2026 (final), "neu".xlsx'],
    ['日本語 🚀.txt', '日本語 🚀.txt'],
    ['👩‍💻.png', '👩‍💻.png'],
    ['archive.tar.gz', 'archive.tar.gz'],
    ['e\u0301.txt', 'é.txt'],
    // Paths.
    ['..', 'attachment'],
    ['.', 'attachment'],
    ['../../etc/passwd', 'passwd'],
    ['C:\\Windows\\system.ini', 'system.ini'],
    ['a/..', 'attachment'],
    ['a\\', 'attachment'],
    ['.\u202e.', 'attachment'],
    // Files that are hidden, and ends that Windows leaves out.
    ['.bashrc', 'bashrc'],
    ['...hidden.txt', 'hidden.txt'],
    ['report.pdf. . .', 'report.pdf'],
    ['  spaced.txt  ', 'spaced.txt'],
    ['\u3000wide\u00a0', 'wide'],
    // What shows nothing.
    ['invoice\u202efdp.exe', 'invoicefdp.exe'],
    ['\u2066a\u2069\u200b\u200e\ufeff.txt', 'a.txt'],
    ['a\u0000b\u001b[31m\nc.txt', 'ab[31mc.txt'],
    ['a\u2028b\u2029.txt', 'ab.txt'],
    ['e\u200b\u0301.txt', 'é.txt'],
    // Devices of Windows, and streams of another file.
    ['CON', '_CON'],
    ['con.txt', '_con.txt'],
    ['Nul.tar.gz', '_Nul.tar.gz'],
    ['AUX .txt', '_AUX .txt'],
    ['COM1.log', '_COM1.log'],
    ['lpt9', '_lpt9'],
    ['COM².txt', '_COM².txt'],
    ['CONIN$', '_CONIN$'],
    ['prn\u200b.txt', '_prn.txt'],
    ['.con', '_con'],
    ['console.log', 'console.log'],
    ['com10.txt', 'com10.txt'],
    ['contract.pdf', 'contract.pdf'],
    ['a.txt:evil.exe', 'a.txt_evil.exe'],
    // Nothing at all.
    ['', 'attachment'],
    ['\u202e', 'attachment'],
    [' . . ', 'attachment'],
  ] as const)
    test(`${JSON.stringify(given)} is ${JSON.stringify(expected)}`, () => assert.equal(fileName(given), expected))

  test('is something else where nothing is left, if that is wanted', () => {
    assert.equal(fileName('..', 'invite.ics'), 'invite.ics')
  })

  test('has at most 255 characters, with its ending', () => {
    const [long, device] = [fileName(`${'é🚀'.repeat(300)}.pdf`), fileName(`con.${'x'.repeat(251)}`)]
    assert.deepEqual([[...long].length, long.endsWith('.pdf')], [255, true])
    assert.deepEqual([device.length, device.startsWith('_con.')], [255, true])
    assert.equal(fileName(`${'a'.repeat(254)}.${'b'.repeat(50)}`), 'a'.repeat(254))
  })

  test('is harmless whatever it was, and then stays as it is', () => {
    const pieces = [
      '.',
      '..',
      ' ',
      '/',
      '\\',
      ':',
      'con',
      'NUL',
      '.txt',
      '\u202e',
      '\u200b',
      '\u0301',
      'e',
      '\u0000',
      '🚀',
      'x'.repeat(150),
    ]
    fc.assert(
      fc.property(
        fc.array(fc.oneof(fc.constantFrom(...pieces), fc.string({ unit: 'grapheme' })), { maxLength: 12 }),
        (all) => {
          const name = fileName(all.join(''))
          assert.match(name, /^(?![.\s])[^/\\:\p{Cc}\u202a-\u202e\u2066-\u2069]+(?<![.\s])$/u)
          assert.doesNotMatch(name, /^(con|prn|aux|nul|com\d|lpt\d)\s*(\.|$)/i)
          assert.doesNotMatch(name, /\p{M}{31}/u)
          assert.equal(name, name.normalize('NFC'))
          assert.ok([...name].length <= 255)
          assert.equal(fileName(name), name)
        },
      ),
      { numRuns: 2000 },
    )
  })
})
