import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { sanitizeHtml, textOfHtml } from '../../../src/lib/html/sanitize.ts'
import { startCpuClock } from '../../support/cpu-clock.ts'
import { examples } from '../../support/seed.ts'
import { anyHtml } from './any.ts'
import { faultsOf } from './harmless.ts'
import { MAILS } from './mails.ts'
import { ALL_PAYLOADS, PAYLOADS } from './payloads.ts'

const short = (html: string): string => JSON.stringify(html.length > 80 ? `${html.slice(0, 80)}…` : html)
const escaped = (text: string): string => text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;')
const LINK = ' target="_blank" rel="noopener noreferrer nofollow"'
/** Long enough that what grows with the square of it takes too long. */
const LONG = 524_288
const repeatedTo = (unit: string, length = LONG) => unit.repeat(Math.ceil(length / unit.length)).slice(0, length)

describe('what does harm', () => {
  test('is written down in more than 250 ways, each of which is seen as harmful without sanitising', () => {
    assert.ok(ALL_PAYLOADS.length >= 250 && new Set(ALL_PAYLOADS).size === ALL_PAYLOADS.length)
    for (const payload of ALL_PAYLOADS) {
      // What breaks off in the middle of a tag does harm with the help of what follows.
      const inPage = [payload, `${payload}>`, `${payload}">`]
      assert.ok(
        inPage.some((html) => faultsOf(html).length > 0),
        payload,
      )
    }
  })

  for (const [family, payloads] of Object.entries(PAYLOADS)) {
    test(`goes: ${family}`, () => {
      for (const payload of payloads) {
        for (const html of [payload, `<p>${payload}</p>`, `<table><tr><td>${payload}`, `<b title="${payload}">x</b>`])
          assert.deepEqual(faultsOf(sanitizeHtml(html)), [], html)
      }
    })
  }

  test('goes in whatever order it comes, and what is sanitised stays as it is', () => {
    fc.assert(
      fc.property(anyHtml, (html) => {
        const sanitized = sanitizeHtml(html)
        assert.deepEqual(faultsOf(sanitized), [])
        assert.equal(sanitizeHtml(sanitized), sanitized)
      }),
      { numRuns: examples(800) },
    )
  })

  test('leaves no text of its code behind, and all other text', () => {
    for (const code of [
      '<script>gone</script>',
      '<style>gone</style>',
      '<title>gone</title>',
      '<svg><text>gone</text></svg>',
      '<svg><g/><desc>gone</desc></svg>',
      '<math><mi>gone</mi></math>',
      '<iframe>gone</iframe>',
      '<noscript>gone</noscript>',
      '<template>gone</template>',
      '<textarea>gone</textarea>',
      '<select><option>gone</option></select>',
      '<option>gone</option>',
      '<noembed>gone</noembed>',
      '<noframes>gone</noframes>',
      '<applet>gone</applet>',
      '<xmp>gone</xmp>',
      '<xml><w:View>gone</w:View></xml>',
      '<!-- gone -->',
      '<![CDATA[gone]]>',
      '<?xml gone?>',
      '<!DOCTYPE gone>',
    ]) {
      assert.equal(sanitizeHtml(`<p>a</p>${code}<p>b</p>`), '<p>a</p><p>b</p>', code)
      assert.equal(textOfHtml(`<p>a</p>${code}<p>b</p>`), 'a\n\nb', code)
    }
    assert.equal(sanitizeHtml('a<plaintext>gone'), 'a')
    assert.equal(textOfHtml('a<plaintext>gone'), 'a')
    for (const tag of ['form', 'button', 'object', 'video', 'center2', 'o:p', 'body', 'label', 'details'])
      assert.equal(sanitizeHtml(`<i>a</i><${tag} x=y>stays</${tag}>`).replace('<i>a</i>', ''), 'stays', tag)
  })
})

describe('what a mail needs stays', () => {
  for (const { name, html, sanitized, text } of MAILS) {
    test(`of ${name}`, () => {
      assert.equal(sanitizeHtml(html), sanitized)
      assert.equal(textOfHtml(html), text)
      assert.equal(textOfHtml(sanitized), text)
      assert.equal(sanitizeHtml(sanitized), sanitized)
    })
  }

  test('each element', () => {
    const all =
      'abbr acronym address article aside b bdi bdo big blockquote caption center cite code colgroup dd del dfn div dl ' +
      'dt em figcaption figure font footer h1 h2 h3 h4 h5 h6 header i ins kbd li main mark nav ol p pre q rp rt ruby s ' +
      'samp section small span strike strong sub sup table tbody td tfoot th thead time tr tt u ul var'
    for (const tag of all.split(' ')) assert.equal(sanitizeHtml(`<${tag}>x</${tag}>`), `<${tag}>x</${tag}>`)
    for (const tag of ['br', 'col', 'hr', 'img', 'wbr']) assert.equal(sanitizeHtml(`a<${tag}>b`), `a<${tag} />b`)
  })

  for (const [attribute, stays, goes] of [
    ['a href', 'https://example.com/a?b=c#d', 'ftp://example.com/'],
    ['a href', 'http://example.com/', 'https://'],
    ['a href', 'mailto:ana@example.com?subject=Hi', 'sms:123'],
    ['a href', 'tel:+4930123', 'cid:image1'],
    ['img src', 'https://example.com/a.png', 'mailto:ana@example.com'],
    ['img src', 'http://example.com/a.png', 'a.png'],
    ['img src', 'cid:image1@example.com', 'tel:1'],
    ['img src', 'data:image/png;base64,iVBORw0KGgo=', 'data:image/png,iVBORw0KGgo'],
    ['img src', 'data:image/jpeg;base64,/9j/', 'data:image/svg+xml;base64,PHN2Zy8+'],
    ['img src', 'data:image/jpg;base64,/9j/', 'data:image/png;charset=x;base64,AAAA'],
    ['img src', 'data:image/gif;base64,R0lGODlh', 'data:text/html;base64,R0lGODlh'],
    ['img src', 'data:image/webp;base64,UklGRg==', 'data:image/webp;base64,<b>'],
    ['img alt', 'Anything "at" <all>'],
    ['img border', '0', '100'],
    ['b title', 'Anything "at" <all>'],
    ['p align', 'center', 'inside'],
    ['td valign', 'top', 'left'],
    ['td bgcolor', '#f4f4f4', 'url(x)'],
    ['tr bgcolor', 'white', '#12'],
    ['p dir', 'rtl', 'up'],
    ['p lang', 'pt-br', 'p t'],
    ['img width', '600', '12345'],
    ['td height', '50%', '50vh'],
    ['td colspan', '2', '0'],
    ['th rowspan', '99', '100'],
    ['th scope', 'col', 'x'],
    ['td nowrap', ''],
    ['table border', '1', '-1'],
    ['table cellpadding', '10', 'x'],
    ['table cellspacing', '0', '5%'],
    ['table role', 'presentation', 'button'],
    ['col span', '2', '1000'],
    ['colgroup span', '2', '-2'],
    ['font color', '#123456', 'rgb(1,2,3)'],
    ['font size', '+2', '99'],
    ['ol start', '-3', 'a'],
    ['ol type', 'A', 'x'],
    ['ul type', 'square', 'A'],
    ['li value', '5', '1.5'],
    ['blockquote type', 'cite', 'text'],
  ] as const) {
    test(`${attribute} of ${short(stays)}${goes === undefined ? '' : `, not of ${short(goes)}`}`, () => {
      const [tag = '', name = ''] = attribute.split(' ')
      const written = (value: string) => `<${tag} ${name}="${escaped(value).replace(/"/g, '&quot;')}">`
      const start = written(stays).replace('=""', '').slice(0, -1)
      assert.ok(sanitizeHtml(written(stays)).startsWith(start), sanitizeHtml(written(stays)))
      if (goes !== undefined) assert.doesNotMatch(sanitizeHtml(written(goes)), new RegExp(`<[^>]*${name}=`))
      // An attribute of one element says nothing on another.
      if (/href|src|alt|span|start|value|type|cell|color|size|nowrap|role|scope/.test(name) && name !== 'bgcolor')
        assert.equal(sanitizeHtml(written(stays).replace(tag, 'i')), '<i></i>')
    })
  }

  test('attributes without a use do not', () => {
    for (const attribute of 'class id name tabindex accesskey contenteditable data-x aria-label is slot part hidden'.split(
      ' ',
    ))
      assert.equal(sanitizeHtml(`<p ${attribute}="x">a</p><p ${attribute}>b</p>`), '<p>a</p><p>b</p>')
  })

  test('links open apart from the page that they are on', () => {
    assert.equal(
      sanitizeHtml('<a target=_top rel=opener href=" HTTPS://Example.COM:443/a b\\..\\c ">x</a>'),
      `<a href="https://example.com/c"${LINK}>x</a>`,
    )
    assert.equal(sanitizeHtml('<a target=_top rel=opener>x</a>'), '<a>x</a>')
  })

  test('an inline image whose base64 is broken into lines', () => {
    assert.equal(
      sanitizeHtml('<img src="data:image/png;base64,iVBO\r\n  Rw0K">'),
      '<img src="data:image/png;base64,iVBORw0K" />',
    )
  })

  for (const [stays, ...goes] of [
    ['background-color:#fff', 'background-color:url(x)', 'background-color:#12345'],
    ['background-color:rgba(0,0,0,.5)', 'background-color:rgb(0)', 'background-color:hsl(1,2%,3%)'],
    ['border:1px solid #ccc', 'border:11px solid red', 'border:1px 2px 3px 4px'],
    ['border:medium none', 'border:url(x)', 'border:-1px solid'],
    ['border-left:solid 2pt rgb(1,2,3)', 'border-left:thick groovy 3d'],
    ['border-collapse:collapse', 'border-collapse:x'],
    ['border-color:red #fff', 'border-color:a b c d e', 'border-color:1px'],
    ['border-radius:4px', 'border-radius:51px'],
    ['border-style:dotted none', 'border-style:1px'],
    ['border-width:1px 0', 'border-width:11px', 'border-width:1%'],
    ['color:red', 'color:red blue', 'color:var(--x)', 'color:"red"', 'color:\\72 ed', 'color:/**/red'],
    ['display:none', 'display:flex', 'display:contents', 'display:grid'],
    ['display:inline-block', 'display:fixed'],
    ['font-size:8px', 'font-size:7.9px', 'font-size:0', 'font-size:10'],
    ['font-size:3em', 'font-size:3.1em', 'font-size:49px', 'font-size:calc(1px)'],
    ['font-size:300%', 'font-size:301%', 'font-size:49%'],
    ['font-size:x-large', 'font-size:huge'],
    ['font-style:italic', 'font-style:url(x)'],
    ['font-weight:700', 'font-weight:1000'],
    ['height:10px', 'height:2001px', 'height:100vh'],
    ['line-height:1.5', 'line-height:0.5', 'line-height:9'],
    ['line-height:20px', 'line-height:73px', 'line-height:1px'],
    ['list-style-type:lower-roman', 'list-style-type:url(x)', 'list-style:none'],
    ['margin:0 auto', 'margin:-1px', 'margin:101px', 'margin:1px 1px 1px 1px 1px'],
    ['margin-left:40px', 'margin-left:-40px', 'margin-left:400px'],
    ['max-width:600px', 'max-width:9999px', 'max-width:1e3px'],
    ['padding:3.0pt 0cm', 'padding:auto', 'padding:101px', 'padding:-1px'],
    ['padding-top:20%', 'padding-top:21%'],
    ['text-align:center', 'text-align:-webkit-center'],
    ['text-decoration:underline', 'text-decoration:blink', 'text-decoration:underline none underline'],
    ['vertical-align:middle', 'vertical-align:-9999px'],
    ['white-space:pre-wrap', 'white-space:x'],
    ['width:100%', 'width:101%', 'width:5', 'width:expression(1)'],
    ['width:auto', 'width:min-content'],
    ['color:red', 'position:fixed', 'top:0', 'z-index:9', 'opacity:0', 'float:left', 'transform:none', 'content:"x"'],
    [
      'color:red',
      'background-image:none',
      'filter:none',
      'font-family:x',
      'text-indent:-9px',
      '--x:red',
      'cursor:none',
    ],
    [
      'color:red',
      'visibility:hidden',
      'overflow:hidden',
      'animation:x',
      'transition:all',
      'all:unset',
      'src:x',
      ':red',
    ],
  ] as const) {
    test(`style of ${stays}, not of ${goes.join(', ')}`, () => {
      for (const gone of goes)
        for (const style of [`${gone};${stays}`, `${stays};${gone}`, `;; ${gone};${stays};`])
          assert.equal(sanitizeHtml(`<p style='${style}'>x`), `<p style="${stays}">x</p>`, style)
      for (const gone of goes) assert.equal(sanitizeHtml(`<p style='${gone}'>x`), '<p>x</p>')
    })
  }

  test('style in other spellings, without what outdoes the page', () => {
    for (const [given, kept] of [
      ['COLOR : Red ! Important ; Margin:\t0\n AUTO', 'color:red;margin:0 auto'],
      ['color: rgb( 1 , 2 , 3 )', undefined],
      ['color: rgb(1 , 2,  3)', 'color:rgb(1,2,3)'],
      ['background:white', 'background-color:white'],
      ["background: #1f6feb url('https://x.example/y.png') no-repeat center", 'background-color:#1f6feb'],
      ['background: url(x) rgb(1, 2, 3)', 'background-color:rgb(1,2,3)'],
      ['background: url(x) no-repeat', undefined],
      ['margin:0in 0in .0001pt', 'margin:0in 0in .0001pt'],
      [`color:red;${'x:y;'.repeat(2500)}`, undefined],
    ] as const)
      assert.equal(sanitizeHtml(`<p style="${given}">x`), kept ? `<p style="${kept}">x</p>` : '<p>x</p>', given)
  })

  test('text, with whatever signs', () => {
    for (const [html, sanitized] of [
      ['', ''],
      [' \n ', ''],
      ['a < b && c > d "e" \'f\'', 'a &lt; b &amp;&amp; c &gt; d "e" \'f\''],
      ['&lt;b&gt; &amp;lt; &copy; &#x1f680; &unknown; &', '&lt;b&gt; &amp;lt; © 🚀 &amp;unknown; &amp;'],
      ['Grüße 日本語 שלום 🚀', 'Grüße 日本語 שלום 🚀'],
      ['a\0b', 'ab'],
      ['<p>open <b>and <i>open', '<p>open <b>and <i>open</i></b></p>'],
      ['</div>closed</p>', 'closed<p></p>'],
    ] as const)
      assert.equal(sanitizeHtml(html), sanitized)
  })

  test('what meets where an element between goes settles at once', () => {
    assert.equal(sanitizeHtml('<p>a<form><p>b</form></p>'), '<p>a</p><p>b</p><p></p>')
    assert.equal(sanitizeHtml('<ul><li>a<x-y><li>b</x-y></ul>'), '<ul><li>a</li><li>b</li></ul>')
  })
})

describe('HTML as plain text', () => {
  for (const [html, text] of [
    ['', ''],
    [' \n\t<p> </p>', ''],
    ['plain', 'plain'],
    ['a<br>b<br/>c</br>d', 'a\nb\nc\nd'],
    ['a<br><br>b', 'a\n\nb'],
    ['a<br><br><br><br>b', 'a\n\nb'],
    ['<div>a</div><div>b</div>c', 'a\nb\nc'],
    ['<div>a</div><div><br></div><div>b</div>', 'a\n\nb'],
    ['<p>a<br></p><p>b</p>', 'a\n\nb'],
    ['<p>a</p><p>&nbsp;</p><p>b</p>', 'a\n\nb'],
    ['<div>a</div><div>&nbsp;</div><div>b</div>', 'a\n\nb'],
    ['<h1>Title</h1>text<hr>more', 'Title\n\ntext\n\nmore'],
    ['<ul><li>a<li>b<ul><li>c</ul><li></li></ul><p>d</p>', '- a\n- b\n\n- c\n\nd'],
    ['<ol><li><p>a</p></li><li></li></ol>b', '- a\n\nb'],
    ['<ul><li></ul>b', 'b'],
    ['<table><tr><th>a<th>b</tr><tr><td>c</td><td>d</td></tr></table>e', 'a b\nc d\n\ne'],
    ['<dl><dt>a<dd>b</dl>', 'a\nb'],
    ['a <b> b</b>\n\t <i>c</i>d', 'a b cd'],
    ['a&nbsp;&nbsp;b', 'a  b'],
    ['&lt;b&gt; &amp; &euro; &#128640; &#x41;&#0;', '<b> & € 🚀 A\ufffd'],
    ['<a href="https://example.com/">link</a>, <img alt="image">', 'link,'],
    ['<a title="a > b">x</a>', 'x'],
    ['a<!-- b -->c<!--[if mso]>d<![endif]-->e<![if !mso]>f<![endif]>', 'acef'],
    ['<pre>a\n  b  \n\n\n c</pre>d', 'a\n  b\n\n\n c\n\nd'],
    ['<pre>\na<br>b\r\nc\rd</pre>', 'a\nb\nc\nd'],
    ['<pre>  a</pre>', '  a'],
    ['<pre>a<br> b<br><br><br>c</pre>', 'a\n b\n\n\nc'],
    ['</pre><pre>a  b</pre>', 'a  b'],
    ['x<pre>a</pre></pre><p>b  c</p>', 'x\n\na\n\nb c'],
    ['<pre><pre>a  b</pre>c  d</pre>', 'a  b\n\nc  d'],
    ['<svg/>a<svg><svg/><svg>b</svg>c</svg>d<math/>e', 'ade'],
    ['<svg><style></svg>a', 'a'],
    ['<template/>a</template>b<title/>c</title>d', 'bd'],
    ['<template>a<template>b</template>c</template>d', 'd'],
    ['a<script>if (b < c) "</scripts>"</script>d', 'ad'],
    ['a<b', 'a'],
    ['a <', 'a <'],
    ['<DIV>a</DIV><Script>b</sCRIPT>c', 'a\nc'],
    ['Hi&#847;&zwnj;&nbsp;&#847;&zwnj;&nbsp;&shy; &#8203;<p>b', 'Hi\n\nb'],
    ['co&shy;op می\u200cخواهم 👩\u200d💻', 'co\u00adop می\u200cخواهم 👩\u200d💻'],
  ] as const) {
    test(`${short(html)} is ${short(text)}`, () => assert.equal(textOfHtml(html), text))
  }

  test('is trimmed, and the same again in a <pre>', () => {
    fc.assert(
      fc.property(anyHtml, (html) => {
        const text = textOfHtml(html)
        assert.doesNotMatch(text, /^\n|\s$|\r|\u00a0/)
        assert.equal(textOfHtml(`<pre>${escaped(text)}</pre>`), text)
      }),
      { numRuns: examples(400) },
    )
  })

  test('has every word that is seen', () => {
    const word = fc.string({ unit: fc.constantFrom(...'abäß日<&"'), minLength: 1, maxLength: 6 })
    const tree = fc.letrec<{ node: { html: string; words: string[] } }>((tie) => ({
      node: fc.oneof(
        { depthSize: 'small' },
        word.map((text) => ({ html: ` ${escaped(text)} `, words: [text] })),
        fc
          .tuple(fc.constantFrom('p', 'div', 'b', 'li', 'td', 'a', 'h1', 'center'), fc.array(tie('node')))
          .map(([tag, inner]) => ({
            html: `<${tag}>${inner.map((each) => each.html).join('')}</${tag}>`,
            words: inner.flatMap((each) => each.words),
          })),
      ),
    })).node
    fc.assert(
      fc.property(tree, ({ html, words }) => {
        const seen = textOfHtml(html).replace(/^- /gm, '').split(/\s+/)
        assert.deepEqual(
          seen.filter((each) => each !== ''),
          words,
        )
        assert.equal(textOfHtml(sanitizeHtml(html)).replace(/\s+/g, ' '), textOfHtml(html).replace(/\s+/g, ' '))
      }),
    )
  })
})

describe('a mail that is built to take long', () => {
  const SLOW: Record<string, string> = {
    '100,000 open elements': '<div>'.repeat(100_000),
    'elements in 500 others': '<b>'.repeat(500) + repeatedTo('</x>'),
    'open elements': repeatedTo('<p>'),
    'foreign elements': repeatedTo('<svg>'),
    'elements side by side': repeatedTo('<a href="http://a">x</a>'),
    'elements that meet': repeatedTo('<p><form><p>x</form>'),
    'ends without a beginning': repeatedTo('</p>'),
    'empty ends': repeatedTo('</'),
    'signs to escape': repeatedTo('<'),
    ampersands: repeatedTo('&'),
    entities: repeatedTo('&lt;'),
    comments: repeatedTo('<!--'),
    'closed comments': repeatedTo('a<!---->'),
    noscript: `${repeatedTo('<b><noscript></b>')}</noscript>`,
    'a long address': `<a href="http://a/${repeatedTo('ä')}">x</a>`,
    'a long script address': `<a href="${repeatedTo('java\tscript:')}">x</a>`,
    'a long style': `<b style="${repeatedTo('color:red;')}">x</b>`,
    'long styles': repeatedTo(`<b style="color:${' '.repeat(4000)}!${' '.repeat(4000)}x">x</b>`),
    'a long image': `<img src="data:image/png;base64,${repeatedTo('A')}">`,
    'many attributes': `<a ${Array.from({ length: 100_000 }, (_, at) => `a${at}=1`).join(' ')}>x</a>`,
    'a long name': `<${repeatedTo('a')}>x`,
    spaces: `a${repeatedTo(' ')}b`,
    'spaces in a pre': `<pre>a${repeatedTo(' ')}b</pre>`,
    'line breaks in a pre': `<pre>a${repeatedTo('\n')}b</pre>`,
    'signs that nobody sees': `a${'\u200b'.repeat(LONG / 2)}b`,
  }
  for (const [what, html] of Object.entries(SLOW)) {
    test(`does not: ${what}`, () => {
      const spent = startCpuClock()
      const sanitized = sanitizeHtml(html)
      textOfHtml(html)
      const took = spent() // 150 on a machine that is not busy
      assert.ok(took < 1000, `${took} ms`)
      assert.deepEqual(faultsOf(sanitized), [])
      assert.equal(sanitizeHtml(sanitized), sanitized)
    })
  }

  test('is shown as its text, with its lines', () => {
    for (const html of [
      `${'<b>'.repeat(513)}a &lt; b<p>c`,
      `${'<b></b>'.repeat(30_001)}a &lt; b<p>c`,
      `a &lt; b<p>c${'<p><b><x-y><i></i></x-y></b></p>'.repeat(7_501)}`,
    ])
      assert.equal(sanitizeHtml(html), '<pre style="white-space:pre-wrap">a &lt; b\n\nc</pre>')
    const escapes = '&amp; '.repeat(100_001)
    assert.equal(sanitizeHtml(`<b>${escapes}</b>`), `<pre style="white-space:pre-wrap">${escapes.trim()}</pre>`)
  })

  test('is still HTML up to 512 open elements, 30,000 elements and 100,000 signs to escape', () => {
    assert.equal(sanitizeHtml(`${'<x-y>'.repeat(511)}<b>a</b>`), 'a')
    assert.equal(sanitizeHtml(`${'<i></i>'.repeat(29_999)}<b>a</b>`).slice(-8), '<b>a</b>')
    const escapes = '&amp; '.repeat(100_000)
    assert.equal(sanitizeHtml(`<b>${escapes}</b>`), `<b>${escapes}</b>`)
  })

  test('keeps 256 elements in each other, and the text of all', () => {
    const html = '<b>'.repeat(400) + 'a' + '</b>'.repeat(400)
    assert.equal(sanitizeHtml(html), '<b>'.repeat(256) + 'a' + '</b>'.repeat(256))
  })
})

test('the libraries are loaded with the first HTML, not at the start', () => {
  const source = `
    import { registerHooks } from 'node:module'
    const loaded = []
    registerHooks({ load: (url, context, next) => (loaded.push(url), next(url, context)) })
    const { sanitizeHtml } = await import('./src/lib/html/sanitize.ts')
    const before = loaded.filter((url) => url.includes('node_modules')).length
    sanitizeHtml('<b>x</b>')
    console.log(before, loaded.some((url) => url.includes('sanitize-html')))`
  const { stdout } = spawnSync(process.execPath, ['--input-type=module', '-e', source], {
    cwd: join(import.meta.dirname, '../../..'),
    encoding: 'utf8',
  })
  assert.equal(stdout.trim(), '0 true')
})
