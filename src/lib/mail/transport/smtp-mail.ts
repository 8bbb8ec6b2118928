import { Readable } from 'node:stream'
import type SMTPConnection from 'nodemailer/lib/smtp-connection'
import { assignedIds } from './assigned-ids.ts'
import { onWire } from './envelope.ts'
import { type SmtpFailure, smtpError, wordsOf } from './error-messages.ts'
import { type Cause, causeOf } from './refusals.ts'
import type { MailServer } from './server.ts'
import { type Session, step } from './smtp-step.ts'

// One mail over a connection, and what the server answered for each of its recipients.

export type Sent =
  /** For all whom `onRefused` did not name. `ids` are the Message-IDs that the server gave it in place of ours. */
  | { outcome: 'sent'; reply: string; ids: string[] }
  /** Why it was not sent, or may not have been; withdrawn: it was no longer wanted. */
  | { outcome: Cause | 'withdrawn'; error: string }

/** Why the server did not take a mail for one of its recipients. */
export type Refusal = { email: string; cause: Cause; error: string }

export type Envelope = { from: string; to: string[] }

export type Outgoing = Envelope & {
  source: Buffer
  /** Asked when a connection is ready, immediately before the mail begins: until then minutes may pass. */
  isWanted?: () => boolean
  /** Called once the server has answered for all recipients and refused some, before the content is sent, if it is. */
  onRefused?: (refusals: Refusal[]) => Promise<unknown>
}

type Answered = SMTPConnection.Envelope & { rejectedErrors?: Error[] }

const CHUNK_BYTES = 65_536

/** `isStale` is true if a reused connection was gone: the mail has to be sent over another one. */
export async function sendOver(
  session: Session,
  { from, to, source, onRefused = async () => undefined }: Outgoing,
  server: MailServer,
  signal: AbortSignal,
): Promise<{ sent: Sent; isStale: boolean }> {
  // The library adds what the server answered for each recipient.
  const envelope: Answered = {
    from: onWire(from),
    to: to.map(onWire),
    size: source.length,
  }
  const refusalsNow = () => refusalsOf(envelope.rejectedErrors, to, server)
  const message = reader(source, async () => {
    const refusals = refusalsNow()
    if (refusals.length > 0) await onRefused(refusals)
  })
  try {
    const info = await step<SMTPConnection.SentMessageInfo>(session, signal, (done) =>
      session.connection.send(envelope, message.stream, done),
    )
    const ids = assignedIds(info.response ?? '', server.host, [from, ...to])
    const reply = wordsOf(info.response, server)
    return { sent: { outcome: 'sent', reply, ids }, isStale: false }
  } catch (error) {
    const refusals = refusalsNow()
    const { responseCode, command } = error as SmtpFailure
    if (to.length > 1 && command === 'RCPT TO' && refusals.length === to.length) {
      await onRefused(refusals)
      const { cause, error } = worst(refusals)
      return { sent: { outcome: cause, error }, isStale: false }
    }
    const outcome = causeOf(error as SmtpFailure, message.isRead(), to)
    // Servers end a session of many mails with 421, whatever the next command is.
    const isStale = session.isUsed && (responseCode === 421 || (!responseCode && outcome === 'later'))
    return { sent: { outcome, error: smtpError(error, server) }, isStale }
  }
}

function refusalsOf(errors: readonly Error[] | undefined, to: readonly string[], server: MailServer): Refusal[] {
  return to.flatMap((email) => {
    const error = errors?.find((each) => (each as { recipient?: string }).recipient === onWire(email))
    if (!error) return []
    return { email, cause: causeOf(error as SmtpFailure, false, [email]), error: smtpError(error, server) }
  })
}

/** Nobody was accepted: as long as there is hope for one, the mail goes on, and what holds for the sender comes first. */
const CAUSES: readonly Cause[] = ['later', 'limited', 'unclear', 'deferred', 'refused']
const worst = (all: readonly Refusal[]): Refusal =>
  all.toSorted((one, other) => CAUSES.indexOf(one.cause) - CAUSES.indexOf(other.cause))[0] as Refusal

/**
 * Streams the source once `before` has ended; `isRead` is false as long as the end-of-mail mark cannot have been sent.
 */
function reader(source: Buffer, before: () => Promise<void>) {
  let at = 0
  let isBegun = false
  const stream = new Readable({
    read() {
      if (isBegun) return next()
      isBegun = true
      before().then(next, (error) => stream.destroy(error))
    },
  })
  function next(): void {
    stream.push(source.subarray(at, (at += CHUNK_BYTES)))
    if (at >= source.length) stream.push(null)
  }
  return { stream, isRead: () => at >= source.length }
}
