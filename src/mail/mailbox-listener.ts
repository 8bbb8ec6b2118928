import { setTimeout as pause } from 'node:timers/promises'
import type { Deps } from '../deps.ts'
import type { Logins } from '../inbox/mailboxes/access-tokens.ts'
import type { Mailbox } from '../inbox/mailboxes/mailbox.ts'
import { contentOf } from '../inbox/messages/contents.ts'
import { largeFiles } from '../inbox/messages/large-files.ts'
import { originalStore, packed } from '../inbox/messages/originals.ts'
import { loadLanguages } from '../lib/language.ts'
import type { Log } from '../lib/log.ts'
import type { MailIn } from '../lib/mail/mail.ts'
import { MAX_FILE_BYTES, mailBytesFor } from '../lib/mail/parse/files.ts'
import type { MailReader } from '../lib/mail/parse/reader.ts'
import { type Folder, type Listed, openFolder } from '../lib/mail/transport/imap.ts'
import { sizeText } from '../lib/size.ts'
import { DAY_MS, MINUTE_MS } from '../lib/time.ts'
import type { Write } from '../store/commit.ts'
import type { StorageHealth } from '../store/health.ts'
import { pauseAfter } from '../store/jobs/job-attempts.ts'
import { orgOf } from '../store/orgs/orgs.ts'
import type { ImportedMail } from './incoming.ts'
import { type FetchedMail, mailboxProgress } from './mailbox-progress.ts'
import { ruleSettings } from './rules/settings.ts'
import { sentCopyStore } from './sent-copies.ts'

export type ListenerOptions = {
  deps: Deps
  write: Write
  /** Storage health: nothing is fetched that could not be stored. */
  health: Pick<StorageHealth, 'note' | 'refusal'>
  logins: Pick<Logins, 'imapServer'>
  log: Log
  random: () => number
  read: MailReader['read']
  /** The size of all files of a mail. */
  maxFileBytes?: number | undefined
  /** Called for each mail of a folder, once its outcome is written. */
  count?: ((outcome: ImportedMail['outcome']) => void) | undefined
}

const tooLarge = (maxBytes: number) => `It was larger than ${sizeText(maxBytes)}; the rest was left out.`

/** Poll interval without IDLE, and check interval with it, in case notifications were lost. */
const POLL_MS = MINUTE_MS
const CHECK_MS = 300_000
const MAX_PAUSE_MS = 300_000
/** Pause while nothing can be written. */
const STORAGE_PAUSE_MS = 5000
/** A damaged mail may end the connection at each attempt. After this many fetches the following mails are tried. */
const MAX_FETCHES = 3

/** Listens to the folder of one mailbox until the signal aborts. Failures are recorded and retried. */
export async function listenTo(
  org: number,
  mailbox: Mailbox,
  options: ListenerOptions,
  signal: AbortSignal,
): Promise<void> {
  const { deps, write, health, logins, log, random, read, maxFileBytes = MAX_FILE_BYTES, count } = options
  const progress = mailboxProgress(deps)
  const copies = sentCopyStore(deps)
  const files = largeFiles(deps.db)
  const originals = originalStore(deps)
  const rules = ruleSettings(deps)
  const maxSourceBytes = mailBytesFor(maxFileBytes)
  let stuck: { at: FetchedMail; times: number; error: unknown } | undefined
  let failures = 0

  while (!signal.aborted) {
    if (health.refusal()) {
      await rest(STORAGE_PAUSE_MS)
      continue
    }
    try {
      await withFolder(async (folder, renewAt) => {
        // Servers end a connection whose token has expired; logging in anew before is no failure.
        for (let left_ms = Infinity; left_ms > 0 && !signal.aborted; left_ms = renewAt - deps.clock.now()) {
          await look(folder)
          failures = 0
          const rest_ms = Math.max(renewAt - deps.clock.now(), 0)
          await folder.news(Math.min(folder.canIdle ? CHECK_MS : POLL_MS, rest_ms), signal)
        }
      })
    } catch (error) {
      if (signal.aborted) return
      failures++
      if (!health.note(error)) await failed(error as Error)
      await rest(Math.min(pauseAfter(failures, random), MAX_PAUSE_MS))
    }
  }

  async function withFolder(work: (folder: Folder, renewAt: number) => Promise<void>): Promise<void> {
    const server = await logins.imapServer(org, mailbox)
    const folder = await openFolder(server, signal)
    try {
      await work(folder, server.accessToken?.renewAt ?? Number.POSITIVE_INFINITY)
    } finally {
      await folder.close()
    }
  }

  /** Imports the new mails. */
  async function look(folder: Folder): Promise<void> {
    const { uidValidity } = folder
    const begun = await write(() => progress.begin(org, mailbox, folder))
    if (!begun) return // the settings have changed; another listener replaces this one
    const { last_uid, since, checked_at, dated_below } = begun
    const lookedUntil = checked_at ?? Date.parse(mailbox.created_at)
    const isFirstRead = last_uid === 0 && dated_below > 1
    const listed = isFirstRead ? await folder.listSince(since as number) : await folder.listFrom(last_uid + 1)
    if (listed.length > 0) await write(() => void progress.found(org, mailbox, listed.length))
    for (const [index, listedMail] of listed.entries()) {
      if (signal.aborted) return
      const now = deps.clock.now()
      const arrivedAt = listedMail.arrivedAt || now
      // It was in another folder when this one was looked at before, or before the mailbox was set up.
      const isHistory = arrivedAt < lookedUntil && now - arrivedAt > DAY_MS
      const at = { uid: listedMail.uid, uidValidity, arrivedAt, isHistory }
      const isKnown = isFirstRead && listedMail.messageId !== null && progress.isKnown(org, listedMail.messageId)
      // Times decide only on what was there at the first look. Later, whatever is new in the folder is new.
      const isBefore = listedMail.uid < dated_below && arrivedAt < (since as number) - 1000
      if (isKnown || isBefore) {
        await write(() => void progress.pass(org, mailbox, listedMail.uid, isKnown))
        if (isKnown) count?.('skipped')
      } else if (isLeftOut(at)) await recordMissing(listedMail, at)
      else if (await isDamaged(folder, at, listed, index + 1)) await recordRejected(listedMail, at)
      else await importMail(folder, listedMail, at)
      failures = 0 // the server works: one that leaves out some of many mails is not left alone for longer each time
    }
    const last = listed.at(-1)?.uid ?? (isFirstRead ? folder.uidNext - 1 : 0)
    await write(() => void progress.looked(org, mailbox, last))
  }

  /** Whether the mail rather than its server is at fault: a later mail can be fetched. Tries another one each time. */
  async function isDamaged(folder: Folder, at: FetchedMail, listed: Listed[], next: number): Promise<boolean> {
    const more = triesOf(at) - MAX_FETCHES
    const other = more < 0 ? undefined : listed[next + (more % (listed.length - next))]
    return other !== undefined && (await fetch(folder, other.uid, at)) !== undefined
  }

  function triesOf({ uid, uidValidity }: FetchedMail): number {
    return stuck?.at.uid === uid && stuck.at.uidValidity === uidValidity ? stuck.times : 0
  }

  /** Whether its server has left out the content of the mail each time that it was asked, and nothing else was wrong. */
  function isLeftOut(at: FetchedMail): boolean {
    return triesOf(at) >= MAX_FETCHES && (stuck?.error as { isLeftOut?: boolean } | undefined)?.isLeftOut === true
  }

  async function recordMissing({ messageId }: Listed, at: FetchedMail): Promise<void> {
    log.error({ org, mailbox: mailbox.key, uid: at.uid, err: stuck?.error }, 'mail missing')
    await write(() => void progress.miss(org, mailbox, { messageId }, at, stuck?.error))
    count?.('rejected')
  }

  async function recordRejected({ messageId }: Listed, at: FetchedMail): Promise<void> {
    log.error({ org, mailbox: mailbox.key, uid: at.uid, err: stuck?.error }, 'mail rejected')
    await write(() => void progress.reject(org, mailbox, { messageId }, at, stuck?.error))
    count?.('rejected')
  }

  /** Fetches a mail. A failure counts against `at`, the mail that is to be imported next. */
  async function fetch(folder: Folder, uid: number, at: FetchedMail): Promise<Buffer | undefined> {
    try {
      return await folder.source(uid, maxSourceBytes)
    } catch (error) {
      stuck = { at, times: triesOf(at) + 1, error }
      throw error
    }
  }

  async function importMail(folder: Folder, { uid, size }: Listed, at: FetchedMail): Promise<void> {
    const source = await fetch(folder, uid, at)
    if (!source) return write(() => void progress.pass(org, mailbox, uid, false))
    let mail: MailIn | undefined
    try {
      const view = { timezone: orgOf(deps.db, org).timezone, now: deps.clock.now(), arrivedAt: at.arrivedAt }
      const original = originals.areKept(org) ? await packed(source, size) : undefined // before its bytes are given away
      const whole = await read(source, view)
      mail = size > maxSourceBytes ? { ...whole, notes: [...whole.notes, tooLarge(maxSourceBytes)] } : whole
      const taken = mail
      await learnIds(folder, taken)
      if (rules.asksLanguage(org)) await loadLanguages()
      const contents = taken.files.map(({ bytes, sha256 }) => contentOf(bytes, sha256))
      if (original) contents.push(original.content)
      const take = () => write(() => progress.take(org, mailbox, taken, at, original))
      const outcome = await files.ready(write, org, contents, take)
      count?.(outcome)
    } catch (error) {
      if (signal.aborted || (error as { status?: number }).status === 503) throw error // not caused by the mail
      log.error({ org, mailbox: mailbox.key, uid, err: error }, 'mail rejected')
      await write(() => void progress.reject(org, mailbox, mail, at, error))
      count?.('rejected')
    }
  }

  /** A folder for sent mail that cannot be searched keeps no mail from being imported. */
  async function learnIds(folder: Folder, mail: MailIn): Promise<void> {
    try {
      await copies.learn(org, mail, folder, write)
    } catch (error) {
      if (signal.aborted || health.note(error)) throw error
      log.warn(
        { org, mailbox: mailbox.key, reason: (error as Error).message },
        'the folder for sent mail was not searched',
      )
    }
  }

  async function failed(error: Error): Promise<void> {
    log.warn({ org, mailbox: mailbox.key, reason: error.message }, 'mailbox fails')
    try {
      await write(() => void progress.failed(org, mailbox, error.message))
    } catch (problem) {
      if (!health.note(problem)) log.error({ err: problem }, 'failed')
    }
  }

  async function rest(ms: number): Promise<void> {
    await pause(ms, undefined, { signal, ref: false }).catch(() => undefined)
  }
}
