import type { FetchMessageObject, ImapFlow } from 'imapflow'
import { DAY_MS, SECOND_MS } from '../../time.ts'
import { idsIn } from '../parse/ids.ts'
import { type Failure, type ImapFailure, imapError, placeOf, sentence, wordsOf } from './error-messages.ts'
import { type Connected, connectImap, type ImapTimes, TIMES } from './imap-connection.ts'
import { newsOf } from './imap-news.ts'
import type { ImapServer } from './server.ts'

/** `arrivedAt` is the server's INTERNALDATE in milliseconds; 0 if it cannot be read. */
export type Listed = { uid: number; size: number; arrivedAt: number; messageId: string | null }

/** A folder opened read-only: no mail is marked as read. All its methods reject with one sentence. */
export type Folder = {
  uidValidity: number
  uidNext: number
  canIdle: boolean
  /** Returns the mails from this uid on, in ascending order. */
  listFrom(uid: number): Promise<Listed[]>
  /** Returns the mails that arrived at that time or later, by ascending uid. */
  listSince(ms: number): Promise<Listed[]>
  /**
   * Returns at most `maxBytes` of the mail; undefined if it is gone. Rejects with a sentence that `isLeftOut` if the server
   * says that all is well, and twice does not give it.
   */
  source(uid: number, maxBytes: number): Promise<Buffer | undefined>
  /**
   * Resolves when new mail may be there, after `ms` milliseconds, or when the signal aborts; rejects when the
   * connection is gone.
   */
  news(ms: number, signal: AbortSignal): Promise<void>
  /** Searches the folder for sent mail; returns false also if there is none. */
  findSent(messageId: string): Promise<boolean>
  /** The newest mails in the folder for sent mail that have an id in a header. */
  sentCopies(header: 'message-id' | 'references', id: string): Promise<SentCopy[]>
  /** Creates the folder for sent mail if there is none. */
  saveSent(source: Buffer): Promise<void>
  close(): Promise<void>
}

/** A mail in the folder for sent mail. `date` is what it says, in milliseconds. */
export type SentCopy = { messageId: string | null; references: string[]; date: number | null }

const MAX_COPIES = 20
/** Mails per FETCH command, since its line has to stay short. */
const CHUNK = 300
const MAX_NAMED = 10

/** Opens a folder. The signal ends the connection, also after this has resolved. */
export async function openFolder(server: ImapServer, signal?: AbortSignal, times: ImapTimes = TIMES): Promise<Folder> {
  const connected = await connectImap(server, signal, times)
  try {
    return await folderOf(connected, server, times)
  } catch (error) {
    connected.client.close()
    throw error
  }
}

/** Returns null if the folder can be opened, else one sentence that describes the error. */
export async function checkImap(server: ImapServer, times: ImapTimes = TIMES): Promise<string | null> {
  try {
    const folder = await openFolder(server, AbortSignal.timeout(times.check_ms), times)
    await folder.close()
    return null
  } catch (error) {
    return (error as Error).message
  }
}

async function folderOf({ client, whyGone }: Connected, server: ImapServer, times: ImapTimes): Promise<Folder> {
  let last: Promise<unknown> = Promise.resolve()
  let sentPath: string | undefined
  const { path, uidValidity, uidNext } = await inTurn(() => openNumbered(client, server))
  let lastUidNext = uidNext
  // While this lock is held, the library keeps an idle connection alive.
  await inTurn(() => client.getMailboxLock(path, { readOnly: true }))
  const watch = newsOf(client, path, times, inTurn)

  /** Runs one command at a time, since some select another folder for a moment. */
  function inTurn<T>(work: () => Promise<T>): Promise<T> {
    const turn = last.then(() => {
      if (!client.usable) throw whyGone()
      return work()
    })
    last = turn.catch(() => {})
    return turn.catch((error: Failure) => {
      throw error?.isSentence ? error : sentence(imapError(client.usable ? error : whyGone(), server))
    })
  }

  /** Returns the uids of matching mails. Some servers answer a search of an empty folder with an error. */
  async function find(query: Parameters<ImapFlow['search']>[0]): Promise<number[]> {
    if (isEmpty()) await client.noop()
    if (isEmpty() && client.usable) return []
    const found = await client.search(query, { uid: true })
    if (Array.isArray(found)) return found
    throw client.usable ? sentence(`The server ${placeOf(server)} could not search the folder "${path}".`) : whyGone()
  }

  const isEmpty = (): boolean => client.mailbox !== false && client.mailbox.exists === 0

  /** A mail that the server leaves out is asked for again, and listed without a description if it is still there. */
  async function describe(uids: number[]): Promise<Listed[]> {
    const all = await described(uids)
    const others = uids.filter((uid) => !all.has(uid))
    if (others.length > 0) for (const [uid, listed] of await described(others)) all.set(uid, listed)
    for (const uid of await remaining(others.filter((uid) => !all.has(uid))))
      all.set(uid, { uid, size: 0, arrivedAt: 0, messageId: null })
    return uids.flatMap((uid) => all.get(uid) ?? [])
  }

  async function described(uids: number[]): Promise<Map<number, Listed>> {
    const all = new Map<number, Listed>()
    for (let at = 0; at < uids.length; at += CHUNK) {
      const chunk = uids.slice(at, at + CHUNK)
      const query = { uid: true, size: true, internalDate: true, headers: ['message-id'] }
      for (const mail of await client.fetchAll(chunk.join(','), query, { uid: true })) {
        const listed = listedOf(mail)
        if (listed) all.set(mail.uid, listed)
      }
    }
    return all
  }

  /** Which of these mails are still in the folder; others were moved or deleted. */
  async function remaining(uids: number[]): Promise<number[]> {
    if (uids.length > 0) await client.noop() // until then, the server may hide that they are gone
    const there: number[] = []
    for (let at = 0; at < uids.length; at += CHUNK)
      there.push(...(await find({ uid: uids.slice(at, at + CHUNK).join(',') })))
    return uids.filter((uid) => there.includes(uid))
  }

  const listFrom = (uid: number) =>
    inTurn(async () => {
      // For a range above the highest uid, servers return the last mail.
      const uids = await find({ uid: `${Math.max(uid, 1)}:*` })
      return describe(uids.filter((found) => found >= uid))
    })

  const listSince = (ms: number) =>
    inTurn(async () => {
      // Servers compare whole days in their own time zone.
      const listed = await describe(await find({ since: new Date(ms - DAY_MS) }))
      // Their times are whole seconds, rounded down: a mail of the same second counts.
      return listed.filter(({ arrivedAt }) => arrivedAt > ms - SECOND_MS || arrivedAt === 0)
    })

  const source = (uid: number, maxBytes: number) =>
    inTurn(async () => {
      const found = (await fetched(uid, maxBytes)) ?? (await fetched(uid, maxBytes))
      if (found || (await remaining([uid])).length === 0) return found
      const why = `The server ${placeOf(server)} left out the content of the mail with UID ${uid} in "${path}".`
      throw Object.assign(sentence(why), { isLeftOut: true })
    })

  async function fetched(uid: number, maxBytes: number): Promise<Buffer | undefined> {
    const query = { uid: true, size: true, source: { start: 0, maxLength: maxBytes } }
    // Unsolicited changes of other mails may be among the responses. An empty content is one only of a mail of no size.
    const answers = await client.fetchAll(String(uid), query, { uid: true })
    const { source, size } = answers.find((mail) => mail.uid === uid && mail.source) ?? {}
    return source && (source.length > 0 || size === 0) ? source.subarray(0, maxBytes) : undefined
  }

  /** Runs `work` in the folder for sent mail, then returns to the original folder. */
  const inSent = <T>(isReadOnly: boolean, work: (path: string | undefined) => Promise<T>) =>
    inTurn(async () => {
      sentPath ??= await findSentFolder(client)
      if (!sentPath && isReadOnly) return work(undefined)
      sentPath ??= (await client.mailboxCreate('Sent')).path
      try {
        await client.mailboxOpen(sentPath, { readOnly: isReadOnly })
        return await work(sentPath)
      } finally {
        if (client.usable) await comeBack()
      }
    })

  async function comeBack(): Promise<void> {
    const again = await openNumbered(client, server)
    if (again.uidValidity !== uidValidity) {
      client.close()
      throw sentence(`The folder "${path}" of ${placeOf(server)} was recreated.`)
    }
    if (again.uidNext > lastUidNext) watch.found()
    lastUidNext = again.uidNext
  }

  const findSent = (messageId: string) =>
    inSent(true, async (at) => at !== undefined && (await find({ header: { 'message-id': messageId } })).length > 0)

  const sentCopies = (header: 'message-id' | 'references', id: string) =>
    inSent(true, async (at) => {
      const uids = at === undefined ? [] : (await find({ header: { [header]: id } })).slice(-MAX_COPIES)
      if (uids.length === 0) return []
      const query = { uid: true, headers: ['message-id', 'references', 'date'] }
      return (await client.fetchAll(uids.join(','), query, { uid: true })).map(copyOf)
    })

  const saveSent = (mail: Buffer) =>
    inSent(false, async (at) => {
      const isSaved = at !== undefined && (await client.append(at, mail, ['\\Seen']))
      if (!isSaved) throw sentence(`The server ${placeOf(server)} did not store a copy of the sent mail.`)
    })

  async function close(): Promise<void> {
    if (client.usable) {
      const { promise, resolve } = Promise.withResolvers<void>()
      const timer = setTimeout(resolve, times.goodbye_ms)
      await Promise.race([client.logout().catch(() => {}), promise])
      clearTimeout(timer)
    }
    client.close()
  }

  const canIdle = client.capabilities.has('IDLE')
  return {
    uidValidity,
    uidNext,
    canIdle,
    listFrom,
    listSince,
    source,
    news: watch.news,
    findSent,
    sentCopies,
    saveSent,
    close,
  }
}

/** Returns undefined for unsolicited responses, such as changed flags. */
function listedOf({ uid, size, internalDate, headers }: FetchMessageObject): Listed | undefined {
  if (size === undefined) return undefined
  const arrivedAt = new Date(internalDate ?? 0).getTime() || 0
  return { uid, size, arrivedAt, messageId: idsIn(fieldOf(headers, 'message-id'))[0] ?? null }
}

function copyOf({ headers }: FetchMessageObject): SentCopy {
  const date = Date.parse(fieldOf(headers, 'date') ?? '')
  return {
    messageId: idsIn(fieldOf(headers, 'message-id'))[0] ?? null,
    references: idsIn(fieldOf(headers, 'references')),
    date: Number.isNaN(date) ? null : date,
  }
}

function fieldOf(headers: Buffer | undefined, name: string): string | undefined {
  const lines = headers?.toString('latin1').replace(/\r?\n(?=[ \t])/g, '')
  return new RegExp(`^${name}:(.*)`, 'im').exec(lines ?? '')?.[1]
}

async function openNumbered(client: ImapFlow, server: ImapServer) {
  const { folder } = server
  const opened = await client.mailboxOpen(folder, { readOnly: true }).catch(async (error: ImapFailure) => {
    throw client.usable ? sentence(await whyClosed(client, server, error)) : error
  })
  const { path, uidValidity, uidNext } = opened
  if (!uidValidity || !uidNext)
    throw sentence(`The server ${placeOf(server)} does not number the mails of "${folder}".`)
  return { path, uidValidity: Number(uidValidity), uidNext }
}

async function whyClosed(
  client: ImapFlow,
  server: ImapServer,
  { responseText, response }: ImapFailure,
): Promise<string> {
  const { folder } = server
  const names = (await foldersOf(client)).map(({ path }) => path)
  if (names.includes(folder) || /^inbox$/i.test(folder))
    return `The folder "${folder}" of ${placeOf(server)} cannot be opened: ${wordsOf(responseText ?? response, server)}.`
  const named = names.slice(0, MAX_NAMED).map((name) => `"${name}"`)
  const rest = names.length - named.length
  const all = named.join(', ') + (rest > 0 ? ` and ${rest} others` : '')
  return `There is no folder "${folder}" on ${placeOf(server)}. Its folders are: ${all}.`
}

async function foldersOf(client: ImapFlow) {
  return (await client.list()).filter(({ flags }) => !flags.has('\\Noselect') && !flags.has('\\NonExistent'))
}

const SENT_NAMES = ['sent', 'sent items', 'sent messages', 'sent mail']

/**
 * Returns the folder that the server marks as \Sent, one with a usual name, or one that the library recognises by a
 * translated name.
 */
async function findSentFolder(client: ImapFlow): Promise<string | undefined> {
  const folders = await foldersOf(client)
  const marked = folders.filter(({ specialUse }) => specialUse === '\\Sent')
  const named = SENT_NAMES.flatMap((wanted) => folders.find(({ name }) => name.toLowerCase() === wanted) ?? [])
  const isSaid = marked.find(({ specialUseSource }) => specialUseSource === 'extension')
  return (isSaid ?? named[0] ?? marked[0])?.path
}
