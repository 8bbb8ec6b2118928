import type { Draw } from './draw.ts'

// HTML as mails have it, and as nobody should send it.

const PIECES = [
  '<p>Hello,</p>',
  '<p>where is <b>my</b> order?</p>',
  '<div style="color:red;background:url(http://x.example/a.png)">styled</div>',
  '<script>alert(1)</script>',
  '<img src="https://x.example/pixel.gif" width="1" height="1" onerror="alert(1)">',
  '<img src="cid:part1@x.example" alt="a picture">',
  '<a href="javascript:alert(1)">a link</a>',
  '<a href="https://x.example/?a=1&amp;b=2">another link</a>',
  '<table><tr><td>1</td><td>2',
  '</td></tr></table>',
  '<blockquote><p>before</p></blockquote>',
  '<style>p { display: none }</style>',
  '<ul><li>one<li>two</ul>',
  '<p><p><div></p>crossed</div>',
  '<svg><script>alert(1)</script></svg>',
  '<math><mtext><style><img src onerror=alert(1)></style></mtext></math>',
  '<!-- a comment --><![CDATA[x]]><?php x ?>',
  '<form action="https://x.example"><input name="a"></form>',
  '<noscript><p title="</noscript><img src onerror=alert(1)>"></noscript>',
  'plain text &amp; entities &lt;b&gt; &nbsp; &#8364; &notanentity; &#0; &#xD800; &#x110000; &#99999999999;',
  'e&#769;t&#x301; and Cafe\u0301',
  `a${'&#769;'.repeat(40)}`,
  `b${'\u0301'.repeat(29)}&#769;&#769;&#769;`,
  '&#x41;&#x30a;ngstr&#246;m',
  '<b>e</b>&#769;',
  'e<!-- -->\u0301',
  'e<b></b>\u0301',
  '<',
  '<<p>>',
  '<p title="unclosed',
  '&',
  '\u202e<b>right to left</b>',
  '<details open ontoggle=alert(1)>x</details>',
  '🙂'.repeat(20),
]

export function htmlText(draw: Draw): string {
  const [isLong, isDeep] = [draw.chance(1), draw.chance(2)]
  const pieces = Array.from({ length: 1 + draw.below(6) }, () => draw.one(PIECES))
  const text = pieces.join(draw.one(['', '\n', ' ']))
  const deep = draw.one(['<div>', '<b><p>', '<blockquote>']).repeat(isDeep ? 700 : 0)
  return deep + (isLong ? text.repeat(1 + Math.floor(200_000 / text.length)) : text)
}
