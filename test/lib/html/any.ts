import fc from 'fast-check'
import { anyText } from '../../support/texts.ts'
import { ALL_PAYLOADS } from './payloads.ts'

const tags = (
  'a b p div span table tr td th tbody thead li ul ol dl dt dd h1 h2 blockquote pre br img image hr font form select ' +
  'option input button label svg math mi mtext annotation-xml foreignObject desc style script title textarea noscript ' +
  'template iframe object xmp noembed o:p center html head body plaintext wbr col ruby rt rp'
).split(' ')
const tag = fc.constantFrom(...tags)
const piece = fc.oneof(
  { weight: 6, arbitrary: tag.map((name) => `<${name}>`) },
  { weight: 5, arbitrary: tag.map((name) => `</${name}>`) },
  tag.map((name) => `<${name}/>`),
  fc.constantFrom('<a href="https://x.example/ä b?a=1&b=2#x">', '<a href=mailto:x>', '<a href="', "<b title='"),
  fc.constantFrom('<img src=cid:x alt="a&quot;b">', '<p style="color:red; background:#fff;margin: 0 auto !important">'),
  fc.constantFrom('<!--', '-->', '--!>', '<!', '<?', '<![CDATA[', ']]>', '<', '>', '"', "'", '=', '/'),
  fc.constantFrom('&', '&amp;', '&lt;', '&nbsp;', '&#0;', '&#13;', '&zwnj;', '\u200b', '\0', ' ', '\n', '\r', 'x'),
  fc.constantFrom(...ALL_PAYLOADS.filter((payload) => payload.length < 200)),
  anyText({ maxLength: 5 }),
)
/** Pieces of HTML in any order: what opens, what closes, what breaks off, what does harm. */
export const anyHtml = fc.array(piece, { maxLength: 30 }).map((pieces) => pieces.join(''))
