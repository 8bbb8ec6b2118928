import type { Address, MailFile, MailOut } from '../mail.ts'

/** RFC 5322 limits lines to 998 characters, and an id cannot be folded. */
const MAX_ID = 900
/** A subject with longer words is sent as encoded words, which can be folded. */
const MAX_WORD = 200
const MAX_NAME = 255

/** Writes a mail in its wire format (RFC 5322 and MIME): ASCII lines of at most 998 characters that end in CRLF. */
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
    cc: mail.cc.map(addressOf),
    subject: mustEncode ? encodeWord(subject, 'Q', 52) : subject,
    ...(mail.replyTo && { replyTo: addressOf(mail.replyTo) }),
    ...(mail.inReplyTo && isId(mail.inReplyTo) && { inReplyTo: mail.inReplyTo }),
    references: mail.references.filter(isId),
    alternatives: [
      part('plain', mail.text),
      ...(mail.html ? [part('html', mail.html)] : []),
      ...mail.files.filter(isScheduling).map(calendarPart),
    ],
    attachments: mail.files.map(attachmentOf),
    headers: Object.entries(mail.headers).map(([key, value]) => ({ key: headerName(key), value: line(value) })),
    newline: 'windows',
    disableFileAccess: true,
    disableUrlAccess: true,
  })
  return composer.compile().build()
}

/** Returns text for one header line: whatever could end the line becomes a space. */
function line(text: string): string {
  return textOf(text)
    .replace(/[\s\p{Cc}\u2028\u2029]+/gu, ' ')
    .trim()
}

const textOf = (text: string): string => text.toWellFormed()

/** Returns a text part even if the text is empty: without it, a single attachment would become the whole mail. */
const part = (kind: 'plain' | 'html', text: string) => ({
  contentType: `text/${kind}; charset=utf-8`,
  content: textOf(text).replace(/\r\n?/g, '\n'),
})

/** A calendar that asks for something (RFC 6047), as an invitation does. */
const isScheduling = ({ content_type }: MailFile): boolean => /^text\/calendar;.*\bmethod=/i.test(content_type)

/** What programs show buttons for, which they do for no attachment. It has neither a name nor a disposition, as it is no file. */
const calendarPart = ({ content_type, bytes }: MailFile) => ({
  contentType: content_type,
  contentTransferEncoding: 'base64' as const,
  content: bytes,
})

/** A name that looks like an encoded word would be decoded, even between quotation marks. */
const nameOf = (text: string): string => line(text).replaceAll('=?', '= ?').slice(0, MAX_NAME).toWellFormed().trimEnd()

const addressOf = ({ email, name }: Address) => ({ address: email, name: nameOf(name ?? '') })

/** Other ids are left out: they could not be folded, or would be read as several ids. */
const isId = (id: string): boolean => id.length <= MAX_ID && /^<[!-;=?-~]+>$/.test(id)

function headerName(name: string): string {
  if (!/^[A-Za-z0-9-]+$/.test(name)) throw new Error('A mail header has an invalid name.')
  return name
}

const MEDIA_TYPE = /^[\w.+-]+\/[\w.+-]+(?:; ?(?!name|boundary)[\w-]+=(?:[\w.+-]+|"[\w .+-]+"))*$/i

/**
 * Encodes a file as base64. A type that must not be encoded, such as message/rfc822, becomes application/octet-stream,
 * so that no server changes the file.
 */
function attachmentOf(file: MailFile) {
  const { name, cid, bytes } = file
  // Who does not show the calendar opens the file; with the same type, some would show it twice.
  const content_type = isScheduling(file) ? 'application/ics' : file.content_type
  const isOpaque = !MEDIA_TYPE.test(content_type) || /^(?:message|multipart)\//i.test(content_type)
  return {
    filename: nameOf(name) || 'file',
    contentType: isOpaque ? 'application/octet-stream' : content_type,
    contentTransferEncoding: 'base64' as const,
    contentDisposition: cid ? ('inline' as const) : ('attachment' as const),
    ...(cid && { cid }),
    content: bytes,
  }
}
