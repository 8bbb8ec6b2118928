// How programs put text into mails: charsets, transfer encodings, encoded words.

/** Text in each, and the name that mails give it. */
export const SAMPLES: { label: string; decoder: string; text: string }[] = [
  { label: 'utf-8', decoder: 'utf-8', text: 'Grüße aus Köln, 東京 и Москва' },
  { label: 'UTF8', decoder: 'utf-8', text: 'Zażółć gęślą jaźń' },
  { label: 'iso-8859-1', decoder: 'windows-1252', text: 'Déjà vu à la façade où naît l’été' },
  { label: 'windows-1252', decoder: 'windows-1252', text: '“Größe” – 5 € für ältere Übungen' },
  { label: 'iso-8859-2', decoder: 'iso-8859-2', text: 'Příliš žluťoučký kůň úpěl' },
  { label: 'windows-1250', decoder: 'windows-1250', text: 'Árvíztűrő tükörfúrógép' },
  { label: 'iso-8859-15', decoder: 'iso-8859-15', text: 'Œuvre à 30 € près' },
  { label: 'iso-8859-9', decoder: 'windows-1254', text: 'Şişli’de ığdır çayı' },
  { label: 'windows-1251', decoder: 'windows-1251', text: 'Здравствуйте, посылаю договор и счёт' },
  { label: 'koi8-r', decoder: 'koi8-r', text: 'Добрый день, спасибо за письмо' },
  { label: 'KOI8-U', decoder: 'koi8-u', text: 'Доброго ранку, дякую за лист' },
  { label: 'cp866', decoder: 'ibm866', text: 'Отчёт за квартал готов' },
  { label: 'iso-8859-7', decoder: 'iso-8859-7', text: 'Καλημέρα σας από την Αθήνα' },
  { label: 'windows-1255', decoder: 'windows-1255', text: 'שלום וברכה לכולם' },
  { label: 'iso-8859-8-i', decoder: 'iso-8859-8', text: 'תודה רבה על ההצעה' },
  { label: 'windows-1256', decoder: 'windows-1256', text: 'مرحبا بكم في المدينة' },
  { label: 'tis-620', decoder: 'windows-874', text: 'สวัสดีครับ ขอบคุณมาก' },
  { label: 'shift_jis', decoder: 'shift_jis', text: 'お世話になっております。見積書を送ります。' },
  { label: 'x-sjis', decoder: 'shift_jis', text: 'ありがとうございます' },
  { label: 'euc-jp', decoder: 'euc-jp', text: '会議の予定を確認してください' },
  { label: 'gb2312', decoder: 'gbk', text: '你好，这是我们的报价单' },
  { label: 'GBK', decoder: 'gbk', text: '请查收附件，谢谢您的支持' },
  { label: 'big5', decoder: 'big5', text: '您好，這是我們的報價單' },
  { label: 'euc-kr', decoder: 'euc-kr', text: '안녕하세요 견적서를 보내드립니다' },
  { label: 'ks_c_5601-1987', decoder: 'euc-kr', text: '감사합니다 다음 주에 뵙겠습니다' },
  { label: 'ansi_x3.4-1968', decoder: 'windows-1252', text: 'Plain words and nothing else' },
]

/** The way back of a decoder: each character of one or two bytes, by what it is decoded to. */
const encoders = new Map<string, Map<string, number[]>>()
function encoderOf(decoder: string): Map<string, number[]> {
  const made = encoders.get(decoder)
  if (made) return made
  const table = new Map<string, number[]>()
  const text = new TextDecoder(decoder)
  const add = (bytes: number[]) => {
    const char = text.decode(Uint8Array.from(bytes))
    if ([...char].length === 1 && char !== '\ufffd' && !table.has(char)) table.set(char, bytes)
  }
  for (let one = 0; one < 256; one++) add([one])
  if (/jis|euc|gb|big5/.test(decoder))
    for (let lead = 0x81; lead < 0xff; lead++) for (let trail = 0x40; trail < 0xff; trail++) add([lead, trail])
  encoders.set(decoder, table)
  return table
}

export function encodeText(text: string, decoder: string): Buffer {
  if (decoder === 'utf-8') return Buffer.from(text)
  const table = encoderOf(decoder)
  return Buffer.from([...text].flatMap((char) => table.get(char) ?? [0x3f]))
}

export const base64Lines = (bytes: Buffer): string => bytes.toString('base64').replace(/.{76}/g, '$&\r\n')

export function quotedPrintable(bytes: Buffer): string {
  let line = ''
  let all = ''
  for (const byte of bytes) {
    if (byte === 0x0a) {
      all += `${line}\r\n`
      line = ''
      continue
    }
    const isPlain = byte >= 0x20 && byte < 0x7f && byte !== 0x3d
    const code = isPlain ? String.fromCharCode(byte) : `=${byte.toString(16).toUpperCase().padStart(2, '0')}`
    if (line.length + code.length > 75) {
      all += `${line}=\r\n`
      line = ''
    }
    line += code
  }
  return all + line
}

export const wordB = (text: string, label = 'utf-8', decoder = 'utf-8'): string =>
  `=?${label}?B?${encodeText(text, decoder).toString('base64')}?=`

export const wordQ = (text: string, label = 'utf-8', decoder = 'utf-8'): string =>
  `=?${label}?Q?${[...encodeText(text, decoder)]
    .map((byte) =>
      byte === 0x20
        ? '_'
        : /[A-Za-z0-9]/.test(String.fromCharCode(byte))
          ? String.fromCharCode(byte)
          : `=${byte.toString(16).toUpperCase().padStart(2, '0')}`,
    )
    .join('')}?=`

/** Two words that part a character of several bytes, as careless programs do. */
export function wordsSplit(text: string): string {
  const bytes = Buffer.from(text)
  const at = bytes.findIndex((byte) => byte >= 0x80) + 1 || 3
  const q = (part: Buffer) =>
    `=?utf-8?Q?${[...part].map((byte) => `=${byte.toString(16).padStart(2, '0')}`).join('')}?=`
  return `${q(bytes.subarray(0, at))}\r\n ${q(bytes.subarray(at))}`
}
