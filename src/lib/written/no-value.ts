import { foldWhole } from '../pure/fold.ts'

// Words for nothing. People are called Null and None, and towns Nil: they are nothing only where nothing can be called so.

const words = (text: string): string[] =>
  foldWhole(text)
    .trim()
    .split(/\s*,\s*/)

/** As `foldWhole` returns them, without signs around them and dots in them. */
const NOTHING: ReadonlySet<string> = new Set(
  words(`
  n/a, na, n a, none, null, nil, nan, undefined, empty, blank, unknown, not available, not applicable, not specified,
  not provided, not known, no value, no data, no information, nothing, missing, tbd, tba, to be determined, to follow, unassigned,
  ka, k a, keine angabe, keine angaben, keine daten, keine, keiner, kein, ohne, ohne angabe, unbekannt, entfallt, leer, fehlt,
  nicht vorhanden, nicht angegeben, nicht bekannt, nicht verfugbar, nicht zutreffend, nichts, folgt, nv,
  nc, n c, nr, neant, aucun, aucune, non communique, non renseigne, non renseignee, non disponible, vide, inconnu, inconnue, sans, sans objet,
  s/d, sd, n/d, nd, n d, sin datos, sin dato, sin informacion, no aplica, ninguno, ninguna, desconocido, desconocida, no tiene, vacio, no consta,
  no disponible, sin asignar, nao informado, nao tem, nao possui, nao se aplica, nenhum, nenhuma, vazio, desconhecido, sem dados, sem informacao,
  nessuno, nessuna, non disponibile, assente, vuoto, sconosciuto, non presente, non specificato,
  geen, nvt, n v t, onbekend, leeg, niet bekend, niet van toepassing,
  brak, brak danych, nie dotyczy, b/d, bd, nieznany, nie podano, saknas, ingen, inget, okand, ukendt, mangler, ikke oplyst, ukjent, ei ole, ei tietoa,
  neni, neuvedeno, zadny, zadne, nezadano, nincs, ismeretlen, nema, nepoznato, nu exista, necunoscut, yok, bilinmiyor, belirtilmemis, khong co,
  нет, не указан, не указано, отсутствует, неизвестно, н/д, немає, не вказано, няма, κανενα, καμια, αγνωστο,
  なし, 無し, 無, 不明, 未定, 該当なし, 未入力, 无, 没有, 未知, 暂无, 不详, 沒有, 暫無, 없음, 미상, 해당없음, 해당 없음, 모름,
  لا يوجد, غير متوفر, غير معروف, אין, לא ידוע, ไม่มี, ไม่ระบุ`),
)

/** "No phone", "sin teléfono": a word for none, and one for what is not there. */
const NONE =
  /^(?:(?:no tiene|no|without|keinen|keine|kein|ohne|sans|pas de|aucune|aucun|sin|sem|nao tem|senza|nessuna|nessun|geen|zonder|brak|bez|ingen|inget|ei|нет|без|немае)\s+|pas d')/
const THINGS =
  /^(?:(?:e-?|e )?mails?(?: ?adress\w*| address)?|(?:tele?(?:fon|ph?on|foon|fono)\w*|phones?(?: ?numbers?)?|tel|fax|mobile?|mobil\w*|handy\w*|portable|movil|celular|cellulare|cell|correo(?: electronico)?|courriel|web ?sites?|web ?seite|homepage|site(?: web)?|sitio(?: web)?|url|domain|linkedin|date|datum|fecha|data|nummer|number|numero|contact|телефон\p{L}*|почты|email-?adresse))$/u

/** What a spreadsheet writes where a formula fails, in its languages. */
const FAILED =
  /^#(?:n\/a|n\/d|nv|nd|ref|value|name|div\/0|null|num|zahl|wert|bezug|nom|valeur|nombre|valor|valore|naam|spill|calc|getting_data)[!?]?$/

/** Programs write ids and days of zeros: Salesforce's and Outlook's. */
const ZEROS = /^(?:0{15}(?:AAA)?|0+([/.-])0+\1(?:0+))$/

/** Whether a text is empty, or what programs write for it: nobody wrote it. */
export const isEmptyText = (text: string): boolean => text === '' || ZEROS.test(text)

const LONGEST = 60

/** Whether it is no value in any column: signs alone, and failed formulas. */
export const isSigns = (text: string): boolean =>
  !/[\p{L}\p{N}\p{S}\p{M}#&@%]/u.test(text) || (text.length <= LONGEST && FAILED.test(foldWhole(text)))

/** Whether nobody and nothing can be called so: signs, and abbreviations such as `N/A`, `k. A.` and `(none)`. */
export const isNoName = (text: string): boolean => isSigns(text) || (/[/.<>()[\]{}]/.test(text) && isWord(text))

/** Whether a text stands for nothing where no value can be called so, as in a column of phones, numbers or days. */
export const isNoValue = (text: string): boolean => isSigns(text) || isWord(text)

function isWord(text: string): boolean {
  if (text.length > LONGEST) return false
  const plain = foldWhole(text)
    .replace(/^[("'<[{\s]+|[)"'>\]}\s]+$/g, '')
    .replace(/\.\s*/g, (dot, at, all) => (at + dot.length === all.length ? '' : ' '))
    .replace(/\s+/g, ' ')
    .trim()
  if (NOTHING.has(plain) || NOTHING.has(plain.replaceAll(' ', ''))) return true
  const thing = NONE.exec(plain)?.[0]
  return thing !== undefined && THINGS.test(plain.slice(thing.length))
}
