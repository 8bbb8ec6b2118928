import type { Address, MailFile, MailOut } from '../mail.ts'

/** RFC 5322 knows no longer line than 998 characters, and nowhere in an id may a line be folded. */
const MAX_ID = 900
/** Longer words of a subject go out as encoded words, which may be folded. */
const MAX_WORD = 200
const MAX_NAME = 255

/** A mail as it goes over the wire (RFC 5322 and MIME): lines end in CRLF and have at most 998 characters, all ASCII. */
export async function composeMail(mail: MailOut): Promise<Buffer> {
  const [{ default: MailComposer }, { encodeWord }] = await Promise.all([
    import('nodemailer/lib/mail-composer'),
    import('nodemailer/lib/mime-funcs'),
  ])
  const subject = line(mail.subject)
  const mustEncode = subject.includes('=?') || subject.split(/\s/).some((word) => word.length > MAX_WORD)
  const composer = new MailComposer({
    messageId: mail.messageId,
    date: new Date(mail.date),
    from: addressOf(mail.from),
    to: mail.to.map(addressOf),
    subject: mustEncode ? encodeWord(subject, 'Q', 52) : subject,
    ...(mail.replyTo && { replyTo: addressOf(mail.replyTo) }),
    ...(mail.inReplyTo && isId(mail.inReplyTo) && { inReplyTo: mail.inReplyTo }),
    references: mail.references.filter(isId),
    alternatives: [part('plain', mail.text), ...(mail.html ? [part('html', mail.html)] : [])],
    attachments: mail.files.map(attachmentOf),
    headers: Object.entries(mail.headers).map(([key, value]) => ({ key: headerName(key), value: line(value) })),
    newline: 'windows',
    disableFileAccess: true,
    disableUrlAccess: true,
  })
  return composer.compile().build()
}

/** Text for one line of a header: whatever could end the line, or mean something else in it, is a space. */
function line(text: string): string {
  return textOf(text)
    .replace(/[\s\p{Cc}\u2028\u2029]+/gu, ' ')
    .trim()
}

const textOf = (text: string): string => text.toWellFormed()

/** A part also where it is empty: without one, a file that goes along would be all of the mail. */
const part = (kind: 'plain' | 'html', text: string) => ({
  contentType: `text/${kind}; charset=utf-8`,
  content: textOf(text).replace(/\r\n?/g, '\n'),
})

/** A name that looks encoded would be read as what it encodes, even between quotation marks. */
const nameOf = (text: string): string => line(text).replaceAll('=?', '= ?').slice(0, MAX_NAME).toWellFormed().trimEnd()

const addressOf = ({ email, name }: Address) => ({ address: email, name: nameOf(name ?? '') })

/** Others are left out: they cannot be folded, or would be read as several. */
const isId = (id: string): boolean => id.length <= MAX_ID && /^<[!-;=?-~]+>$/.test(id)

function headerName(name: string): string {
  if (!/^[A-Za-z0-9-]+$/.test(name)) throw new Error('A header of a mail has a name that is none.')
  return name
}

const MEDIA_TYPE = /^[\w.+-]+\/[\w.+-]+(?:; ?(?!name|boundary)[\w-]+=(?:[\w.+-]+|"[\w .+-]+"))*$/i

/** Files travel as base64, byte by byte. A type whose files must not be encoded is not named, so nothing changes them. */
function attachmentOf({ name, content_type, bytes }: MailFile) {
  const isOpaque = !MEDIA_TYPE.test(content_type) || /^(?:message|multipart)\//i.test(content_type)
  return {
    filename: nameOf(name) || 'file',
    contentType: isOpaque ? 'application/octet-stream' : content_type,
    contentTransferEncoding: 'base64' as const,
    contentDisposition: 'attachment' as const,
    content: bytes,
  }
}
