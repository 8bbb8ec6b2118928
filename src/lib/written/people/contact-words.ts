// The words around phone numbers and addresses. Languages as they are in address books and signatures.
import { withoutEnd } from '../characters.ts'

export type Label = 'work' | 'home' | 'other'

const words = (text: string): string[] => text.trim().split(/\s+/)

/** One word in front of a number or behind it, in lower case. An empty label says only that it is a number. */
const LABELS: ReadonlyMap<string, Label | ''> = new Map([
  ...words(`tel tél telefon telefono teléfono telefone telephone téléphone phone ph fon tlf tfno tfn teléf telef telefoon telefonnummer
    telefonnr rufnummer nummer nr number num call no puhelin puh sími τηλ тел телефон 電話 电话 전화 tel. primary main email mail emails courriel correo adresse address posta poczta haupt
    hauptnummer preferred new neu direkt direct`).map((word) => [word, ''] as const),
  ...words(`geschäft geschäftlich gesch büro buero office work dienstlich dienst business company firma firmen zentrale zentral
    sekretariat bureau travail pro professionnel trabajo oficina praca służbowy służb sede ufficio lavoro trabalho escritório werk
    kantoor zakelijk arbeit jobb arbete hq switchboard reception empfang standard accueil centralino centrala centralka recepcja landline festnetz fest fixe fijo fisso stacjonarny 会社
    раб рабочий`).map((word) => [word, 'work'] as const),
  ...words(`priv privat private home zuhause domicile dom perso personnel personal casa particular domowy domů domácí thuis privé
    maison hem hemma 自宅 дом домашний`).map((word) => [word, 'home'] as const),
  ...words(`mob mobil mobile mobiltelefon mobilnummer mobilnr mobiltel handy handynummer handynr natel cell cellphone cellular cel
    celular celulare cellulare cell. móvil movil portable port gsm kom komórka komórkowy komórkowa telemóvel mobiel matkapuhelin
    携帯 手机 мобильный моб сот fax telefax whatsapp signal sms other sonstige pager`).map(
    (word) => [word, 'other'] as const,
  ),
])

/** Single letters count in capitals only. */
const SINGLE: Readonly<Record<string, Label | ''>> = {
  T: '',
  P: 'home',
  G: 'work',
  B: 'work',
  D: '',
  O: 'work',
  W: 'work',
  H: 'home',
  M: 'other',
  C: 'other',
  F: 'other',
}

/** What words say of a number; '' if they say only that it is one, and undefined if they mean something else. */
export function labelOf(words: string): Label | '' | undefined {
  const said = withoutEnd(words.trim(), '.:')
  const single = SINGLE[said]
  if (single !== undefined) return single
  const all = said
    .toLowerCase()
    .replace(/\be-?mail\b/, 'email')
    .split(/[\s./-]+/)
    .filter(Boolean)
  const labels = all.map((word) => LABELS.get(word))
  if (all.length === 0 || labels.includes(undefined)) return undefined
  return labels.find((each) => each === 'work' || each === 'home') ?? labels.find(Boolean) ?? ''
}

const EXT = `ext extn exten extension extensión extensao extensão ext-nr app apparat durchwahl durchw dw klappe kl nst nebenstelle
  nbst intern int interno interne poste anexo wewnętrzny wewn wew linka kl klapka p ramal rml toestel tst lokal loc local anknytning
  ankn alanumero alanro дoб доб добавочный вн внутр 内線 分机 轉 转 내선 dahili dah iç mellék mell εσωτ x`
/** The direct number inside a house, at the end of a number; behind commas it is dialled after a pause. */
export const EXTENSION = new RegExp(
  `(?:(?<=[\\d)])[\\s,;.-]*\\(?\\s*(?:${words(EXT)
    .toSorted((one, other) => other.length - one.length)
    .join(
      '|',
    )})\\.?(?:\\s?(?:nr|no)\\.?)?\\s*[:=]?\\s*-?\\s*(\\d{1,7})\\s*\\)?|;\\s*ext=(\\d{1,7})|(?<=\\d)\\s*#\\s*(\\d{1,7})|(?<=\\d),{2,}\\s*(\\d{1,7})#?|(?<=\\d),\\s?(\\d{1,7})#)$`,
  'iu',
)
/** Between two numbers. */
export const OR =
  /(?<=\d\)?)\s+\+\s+(?=[(0])|\s+(?:oder|od\.?|or|ou|o|und|u\.?|and|et|y|e|bzw\.?|lub|albo|i|eller|och|og|of|en|tai|ja|nebo|a|или|и|又は|または)\s+|\s*[&]\s*|\s*、\s*/iu
