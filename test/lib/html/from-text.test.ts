import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { textHtml } from '../../../src/lib/html/from-text.ts'
import { sanitizeHtml, textOfHtml } from '../../../src/lib/html/sanitize.ts'

describe('plain text as HTML', () => {
  for (const [what, text, html] of [
    [
      'has paragraphs where there are empty lines',
      'One\n\nTwo\n \t\n\n\nThree',
      '<p>One</p>\n<p>Two</p>\n<p>Three</p>',
    ],
    ['has line breaks where there are lines', 'One\nTwo\r\nThree\rFour', '<p>One<br />Two<br />Three<br />Four</p>'],
    ['has no empty paragraph around it', '\n\n One\n\n', '<p>One</p>'],
    ['escapes what HTML would read', '<b> & "x"', '<p>&lt;b&gt; &amp; &quot;x&quot;</p>'],
    [
      'has links, without the signs of the sentence behind them',
      'See https://a.example/x?a=1&b=2, or (http://b.example/y_(z)).',
      '<p>See <a href="https://a.example/x?a=1&amp;b=2">https://a.example/x?a=1&amp;b=2</a>, or (<a href="http://b.example/y_(z)">http://b.example/y_(z)</a>).</p>',
    ],
    ['makes no link of what is none', 'https://[ and javascript:alert(1)', '<p>https://[ and javascript:alert(1)</p>'],
    [
      'ends a link at a quote',
      'https://a.example/"onclick=x',
      '<p><a href="https://a.example/">https://a.example/</a>&quot;onclick=x</p>',
    ],
  ] as const)
    test(what, () => assert.equal(textHtml(text), html))

  test('says the same as the text, and nothing that a sanitiser takes away', () => {
    const part = fc.constantFrom(
      'https://a.example/b',
      '<i>',
      '&amp;',
      '"',
      "'",
      ')',
      '(',
      '.',
      ' ',
      'x',
      '\n',
      '\n\n',
      '<',
      '>',
    )
    const words = (text: string) => text.split(/\s+/).filter(Boolean).join(' ')
    fc.assert(
      fc.property(fc.array(part, { maxLength: 30 }), (parts) => {
        const text = parts.join('')
        const html = textHtml(text)
        assert.equal(words(textOfHtml(html)).replaceAll(' ', ''), words(text).replaceAll(' ', ''))
        const links = (of: string) => of.match(/href="[^"]*"/g) ?? []
        assert.deepEqual(links(sanitizeHtml(html)), links(html))
      }),
    )
  })
})
