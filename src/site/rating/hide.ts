import { Transform } from 'node:stream'
import { RATING } from './rating.ts'

// The links of answers in the bytes of a mail that members look at: whoever has such a link can answer with it. Their tokens
// become dots, and the bytes stay as many: as they are, as quoted-printable, which breaks lines anywhere, and as base64.

/** A sign of a token, maybe behind a soft line break. */
const BREAK = '(?:=\\r?\\n)?'
const spread = (text: string): string => [...text].map((sign) => BREAK + sign).join('')
const LINK = new RegExp(`(${spread(RATING)})((?:${BREAK}[A-Za-z0-9_-]){64})(?![A-Za-z0-9_-])`, 'g')
/** Lines of base64, of which the last may be shorter. */
const BASE64 = /(?:^[A-Za-z0-9+/]{4,}={0,2}\r?$\n?)+/gm
/** More than a link takes in any of these forms. */
const KEPT_BACK = 1024

const inText = (text: string): string =>
  text.replace(
    LINK,
    (_, path: string, token: string) => path + token.replace(/=\r?\n|./g, (sign) => (sign.length > 1 ? sign : '.')),
  )

function inBase64(lines: string): string {
  const all = lines.replace(/[\r\n]/g, '')
  const packed = all.slice(0, all.length - (all.length % 4)) // the last line may be here in part
  const bytes = Buffer.from(packed, 'base64')
  const text = bytes.toString('latin1')
  const hidden = inText(text)
  if (hidden === text || bytes.toString('base64') !== packed) return lines
  const signs = Buffer.from(hidden, 'latin1').toString('base64')
  let at = 0
  return lines.replace(/[^\r\n]/g, (sign) => signs[at++] ?? sign)
}

/** The same number of bytes, without the tokens of links for answers. */
export const withoutTokens = (bytes: Buffer): Buffer =>
  Buffer.from(inText(bytes.toString('latin1')).replace(BASE64, inBase64), 'latin1')

/** The same for a mail that comes in pieces. Its end is kept back until what follows is here: a link may stand across. */
export function hidingTokens(): Transform {
  let rest: Buffer = Buffer.alloc(0)
  return new Transform({
    transform(piece: Buffer, _encoding, done) {
      const bytes = withoutTokens(Buffer.concat([rest, piece]))
      const most = Math.max(0, bytes.length - KEPT_BACK)
      // At the beginning of a line, where base64 begins anew.
      const cut = most === 0 ? 0 : bytes.lastIndexOf(10, most - 1) + 1 || most
      rest = bytes.subarray(cut)
      done(null, bytes.subarray(0, cut))
    },
    flush: (done) => done(null, rest),
  })
}
