import { foldWhole } from '../pure/fold.ts'
import { plainText } from './characters.ts'
import { type Context, type Reading, unread } from './reading.ts'

// Yes and no in the languages of the world's spreadsheets, as programs and people write them into a column of flags.

const words = (text: string): Set<string> => new Set(text.trim().split(/\s+/).map(foldWhole))

/** Also their first letters, where these begin no word for the opposite in another language. */
const YES = words(`
  yes y true t 1 on x checked active enabled ok ✓ ✔ ☑ ✅ ☒ ●
  ja j wahr an oui o vrai si s verdadero sim verdadeiro vero tak prawda p はい 有 あり ○ ◯ 〇 是 对 真 예 네 참
  waar sand sant kylla tosi ano pravda igen igaz da adevarat да истина д так істина evet dogru ναι αληθησ כן אמת نعم صحيح
  हाँ हां ใช่ ya benar taip jah jā vang áno`)
const NO = words(`
  no n false f 0 off unchecked inactive disabled ✗ ✘ ❌ ☐ □
  nein falsch aus non faux falso nao nie falsz いいえ 無 なし 否 假 아니오 아니요 거짓
  nee onwaar nej falsk falskt nei usann ei epatosi ne nepravda nem hamis nu fals нет ложь н ні hayir yanlis οχι ψευδησ
  לא שקר لا خطأ नहीं ไม่ tidak salah neé ne ei nē không`)
/** Where a circle says yes, a cross says no; elsewhere one may mark a box. */
const EAST_ASIAN = /^(?:ja|zh|ko)\b/

const MAX_LENGTH = 100

/** Reads yes or no. Looks at the locale, for the signs of East Asia. */
export function readYesNo(text: string, { locale = '' }: Context = {}): Reading<boolean> {
  if (text.length > MAX_LENGTH) return unread(text.slice(0, MAX_LENGTH), 'not_one')
  const word = foldWhole(plainText(text)).replace(/(?<=\p{L})\.$/u, '')
  if (/^[×✕✖]$/.test(word)) return EAST_ASIAN.test(locale) ? { value: false } : unread(text, 'not_one')
  if (/^[01](?:[.,]0+)?$/.test(word)) return { value: word.startsWith('1') }
  if (YES.has(word)) return { value: true }
  if (NO.has(word)) return { value: false }
  const [first = ''] = word.split(/[\s,;(]/)
  return unread(text, YES.has(first) || NO.has(first) ? 'rest' : 'not_one')
}
