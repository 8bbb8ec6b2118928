import assert from 'node:assert/strict'
import { createRequire } from 'node:module'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { type Block, blocksOf } from '../../../src/lib/pure/markdown/blocks.ts'
import { type Node, nodesOf } from '../../../src/lib/pure/markdown/inline.ts'
import { examples } from '../../support/seed.ts'

type CommonMark = {
  Parser: new () => { parse: (text: string) => object }
  HtmlRenderer: new (options: { softbreak: string }) => { render: (tree: object) => string }
}
/** The reference implementation, which has no types. */
const { Parser, HtmlRenderer } = createRequire(import.meta.url)('commonmark') as CommonMark
const parser = new Parser()
const renderer = new HtmlRenderer({ softbreak: '<br />' })

const escaped = (text: string): string =>
  text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;').replace(/"/g, '&quot;')
const TAGS = { strong: 'strong', weak: 'em', gone: 'del' }

function inline(node: Node): string {
  if (typeof node === 'string') return escaped(node).replaceAll('\n', '<br />')
  if (node.is === 'code') return `<code>${escaped(node.text)}</code>`
  const inside = node.children.map(inline).join('')
  if (node.is === 'mention') return `<mention ${node.member}>${inside}</mention>`
  if (node.is === 'picture') return `<img ${escaped(node.file)}>`
  return node.is === 'link'
    ? `<a href="${escaped(node.href)}">${inside}</a>`
    : `<${TAGS[node.is]}>${inside}</${TAGS[node.is]}>`
}

function html(block: Block): string {
  if (block.is === 'rule') return '<hr />'
  if (block.is === 'code') return `<pre>${escaped(block.lines.join('\n'))}</pre>`
  if (block.is === 'quote') return `<blockquote>${block.blocks.map(html).join('')}</blockquote>`
  if (block.is === 'list') {
    const tag = block.first === undefined ? 'ul' : 'ol'
    return `<${tag}>${block.items.map((item) => `<li>${item.map(html).join('')}</li>`).join('')}</${tag}>`
  }
  const text = nodesOf(block.lines.map((line) => line.trim()).join('\n'))
    .map(inline)
    .join('')
  return block.is === 'heading' ? `<h>${text}</h>` : `<p>${text}</p>`
}

const ours = (text: string): string => blocksOf(text).map(html).join('')

/** Alike whether a list is tight, which heading it is, and whether a bare address is a link, as it is here. */
const alike = (page: string): string =>
  page
    .replace(/<a href="[^"]*">(https?:[^<]*)<\/a>/g, '$1')
    .replace(/ title="[^"]*"/g, '')
    .replace(/<br \/>\n?/g, '<br />')
    .replace(/<pre><code[^>]*>/g, '<pre>')
    .replace(/\n?<\/code><\/pre>/g, '</pre>')
    .replace(/<(\/?)h[1-6]>/g, '<$1h>')
    .replace(/<ol start="\d+">/g, '<ol>')
    .replace(/<li>\s*<p>(.*?)<\/p>/gs, '<li>$1')
    .replace(/\n*(<\/?(?:ul|ol|li|blockquote|p|h|pre)>|<hr \/>)\n*/g, '$1')
    .trim()

const isAsTheReference = (text: string): void =>
  assert.equal(alike(ours(text)), alike(renderer.render(parser.parse(text))), JSON.stringify(text))

describe('Markdown', () => {
  for (const text of [
    'Hello *there*, **you** and ***both***.',
    '- a\n- b\n  - c\n  - d\n- e',
    '1. one\n2. two\n   - x\n\n     more\n3. three',
    '10. ten\n11. eleven',
    '3) a\n4) b',
    '> quoted **text**\n> more\n\nthe answer',
    '> - a\n> - b\n>\n> > deeper',
    '# Title #\n\nText\n\nOther\n=====\n\n---\n\nend',
    'a `code` and ``a ` b`` and `` ` ``',
    '[a page](https://a.example/x_(y)?q=1) and [*another*](https://b.example "with a title")',
    'snake_case_name, __init__, 2*3*4, C:\\_x and a\\*b\\*',
    '```js\nconst a = *1*\n  - x\n```\nafter\n\n~~~\n```\n~~~',
    'text\n- a\n- b\n\nIn 2026.\n2027. is next',
    '- a\n\n  second\n- b\nmore of b',
    '[[x]](https://a.example) [a *b](https://a.example)* *[c*](https://a.example)',
    '"*quoted*" *(in brackets)* **Müller**: _x_. **a*b**c*d**',
    '<https://a.example/x> `<b>` & < " \'',
    '** a** **a ** * a* `a **b [c](d e',
  ]) {
    test(`is read as by the reference: ${JSON.stringify(text)}`, () => isAsTheReference(text))
  }

  test('is read as by the reference, whatever is put together', () => {
    const numRuns = examples(5000)
    const parts = [
      'a',
      'b',
      ' ',
      ' ',
      '*',
      '**',
      '_',
      '__',
      '`',
      '``',
      '[',
      '](mailto:a@a.example)',
      '.',
      '(',
      ' text ',
      '\\*',
      '"',
      'ü',
    ]
    const line = fc.array(fc.constantFrom(...parts), { maxLength: 12 }).map((some) => `x${some.join('')}x`)
    fc.assert(fc.property(line, isAsTheReference), { numRuns })
    // A line after a quote would belong to the quote there.
    const starts = ['- ', '1. ', '   - ', '# ', '', '', '   ', '2) ', '> ']
    const written = fc
      .tuple(fc.constantFrom(...starts), fc.constantFrom('one', 'two words', '*x*', ''))
      .map(([start, text]) => (start === '> ' ? `${start}${text}\n` : text === '' ? '' : start + text))
    const page = fc.array(written, { maxLength: 7 }).map((lines) => lines.join('\n'))
    fc.assert(fc.property(page, isAsTheReference), { numRuns })
  })

  test('has what CommonMark has not: struck text, bare addresses, mentions, and lines that stay', () => {
    const id = '0198b2f0-0000-7000-8000-000000000001'
    for (const [text, shown] of [
      ['~~gone~~ ~not~', '<p><del>gone</del> ~not~</p>'],
      [
        'see https://a.example/b_c_d (https://a.example/x_(y)).',
        '<p>see <a href="https://a.example/b_c_d">https://a.example/b_c_d</a> (<a href="https://a.example/x_(y)">https://a.example/x_(y)</a>).</p>',
      ],
      [`Hello @[Ana *R*](member:${id})!`, `<p>Hello <mention ${id}>Ana <em>R</em></mention>!</p>`],
      ['> theirs\nmine', '<blockquote><p>theirs</p></blockquote><p>mine</p>'],
      ['a\nb', '<p>a<br />b</p>'],
      ['![a picture](https://a.example/x.png)', '<p><a href="https://a.example/x.png">a picture</a></p>'],
      [
        '[x](javascript:alert(1)) [y](data:text/html,z) <b>',
        '<p>[x](javascript:alert(1)) [y](data:text/html,z) &lt;b&gt;</p>',
      ],
    ] as const) {
      assert.equal(ours(text), shown)
    }
  })

  test('of many levels is text below the twentieth', () => {
    function depthOf(page: string): number {
      let [depth, deepest] = [0, 0]
      for (const [tag] of page.matchAll(/<\/?(?:blockquote|ul|em|strong)>/g)) {
        depth += tag.startsWith('</') ? -1 : 1
        deepest = Math.max(deepest, depth)
      }
      return deepest
    }
    assert.equal(depthOf(ours('>'.repeat(60_000))), 20)
    assert.equal(depthOf(ours('> '.repeat(30_000))), 20)
    assert.equal(depthOf(ours(`${'**a _b '.repeat(5000)}c${' b_ a**'.repeat(5000)}`)), 20)
    assert.equal(depthOf(ours('+ '.repeat(30_000))), 20)
  })
})
