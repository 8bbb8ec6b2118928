import assert from 'node:assert/strict'
import { test } from 'node:test'
import { storedHtml } from '../../src/inbox/messages/texts.ts'
import { writtenHtml } from '../../src/inbox/messages/written-html.ts'
import { pictureText, withoutPictures } from '../../src/lib/pure/markdown/pictures.ts'

test('a text in which nothing is marked is no HTML: what leaves is what was typed', () => {
  for (const text of [
    'Good morning,\n\nsee https://acme.example/a_b_c and 2*3 = 6.\n\n-- \nAna',
    'snake_case, 5 * 4, a < b && c > d',
    '> quoted\n> lines\n\nAnd mine',
    'Hello\n\n> [your account](https://evil.example/y) **now**\n> -- \n> Eva',
    'Grüße\n-- \nAnna',
    '10 EUR\n20 EUR\n------\n30 EUR',
    'In 2026\n7. December is a Monday',
    'Cheers [1]\n\n[1] none',
    '',
  ])
    assert.equal(writtenHtml(text), null, text)
})

test('what is marked is HTML of its own, that is stored as it is', () => {
  const text =
    '# Offer\n\n**Two** *of* ~~ten~~ `code`\nsecond line\n\n- one\n- two\n  1. deep\n\n3. three\n4. four\n\n> said **so**\n\n```\n<b>raw</b>\n```\n\n[our page](https://acme.example/?a=1&b="2")\n\n---\n\n-- \nAna'
  const html = writtenHtml(text) as string
  assert.equal(
    html,
    [
      '<p><strong>Offer</strong></p>',
      '<p><strong>Two</strong> <em>of</em> <s>ten</s> <code>code</code><br>second line</p>',
      '<ul>\n<li>one</li>\n<li>two\n<ol>\n<li>deep</li>\n</ol></li>\n</ul>',
      '<ol start="3">\n<li>three</li>\n<li>four</li>\n</ol>',
      '<blockquote><p>said **so**</p></blockquote>',
      '<pre>&lt;b&gt;raw&lt;/b&gt;</pre>',
      '<p><a href="https://acme.example/?a=1&amp;b=&quot;2&quot;">our page</a></p>',
      '<hr>',
      '<p>--<br>Ana</p>',
    ].join('\n'),
  )
  const stored = storedHtml(html)
  for (const tag of ['strong', 'em', 'code', 'ul', 'ol', 'li', 'blockquote', 'pre', 'hr'])
    assert.match(stored, new RegExp(`<${tag}\\b`), tag)
})

test('a text that nobody can have typed leaves as it is', () => {
  assert.equal(writtenHtml('**a** '.repeat(20_000)), null)
  assert.match(writtenHtml('**a** '.repeat(10_000)) as string, /^<p><strong>a/)
})

test('a link has no other one in it, and leads where it says', () => {
  const html = storedHtml(writtenHtml('[https://bank.example](https://evil.example/x) and **more**') as string)
  assert.equal((html.match(/<a\b/g) ?? []).length, 1)
  assert.match(html, /<a [^>]*href="https:\/\/evil.example\/x"[^>]*>https:\/\/bank.example<\/a>/)
})

test('nothing that was typed is markup of the mail', () => {
  const html = writtenHtml(
    '**<img src=x onerror=alert(1)>** [<b>](https://x.example/"onclick="y) [a](javascript:alert(1))',
  ) as string
  assert.doesNotMatch(html, /<img|<b>|onclick="|href="javascript/)
})

test('a picture is a file of the message, whatever its name is, or its label where there is none', () => {
  for (const name of ['image.png', 'a (2) [x] é%20.png', 'plan \\ b.png']) {
    const text = `See\n\n${pictureText(name)}`
    assert.equal(
      writtenHtml(text, (file) => (file === name ? 'c1@dealbox' : undefined))?.includes('src="cid:c1@dealbox"'),
      true,
      name,
    )
    assert.doesNotMatch(writtenHtml(text) as string, /<img/)
    assert.doesNotMatch(withoutPictures(text), /cid:/)
  }
  assert.equal(
    withoutPictures('a ![x](cid:y.png) b ![z](https://z.example/) [c](cid:d)'),
    'a [x] b ![z](https://z.example/) [c](cid:d)',
  )
})
