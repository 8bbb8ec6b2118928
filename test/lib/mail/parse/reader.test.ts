import assert from 'node:assert/strict'
import { once } from 'node:events'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { describe, type TestContext, test } from 'node:test'
import type { Worker } from 'node:worker_threads'
import { readMail } from '../../../../src/lib/mail/parse/read.ts'
import { MAX_AT_ONCE, mailReader, type ReaderOptions } from '../../../../src/lib/mail/parse/reader.ts'
import { calendarLines, eventLines, invitingMail } from '../../../support/invitation.ts'
import { seedOf } from '../../../support/seed.ts'
import { generateMails } from './mime/generate.ts'

const MIB = 1_048_576

function start(t: TestContext, options: ReaderOptions = {}) {
  const threads: Worker[] = []
  const note = (worker: Worker) => void threads.push(worker)
  process.on('worker', note)
  const reader = mailReader(options)
  t.after(async () => {
    process.off('worker', note)
    await reader.stop()
  })
  return { ...reader, threads }
}

/** With its own memory. */
const plain = (bytes: number, subject = 'Large') =>
  Buffer.alloc(bytes, `Subject: ${subject}\r\n\r\n${'A line.\r\n'.repeat(5000)}`)

/** Each of its lines may be the end of a part. It takes a second or two. */
function hostile(bytes = 25 * MIB): Buffer {
  const source = Buffer.alloc(bytes, '--\n')
  source.write('Content-Type: multipart/mixed; boundary=B\n\n')
  return source
}

const UNREADABLE = ['This could not be parsed as a mail. The text is the beginning of what was received.']

describe('the reader of mails', () => {
  test('gives what readMail gives, whichever way a mail is read', async (t) => {
    const { read, threads } = start(t)
    const isPadded = (index: number) => index % 2 === 0
    let index = 0
    let large = 0
    for (const { name, source } of generateMails(seedOf(3), 130)) {
      // Fields that nobody reads make a large mail of a small one.
      const isWhole = !isPadded(index++) || source.length === 0
      const padded = isWhole ? source : Buffer.concat([Buffer.from(`X-Pad: ${'x'.repeat(900)}\r\n`.repeat(80)), source])
      if (padded.length > MAX_AT_ONCE) large++
      const expected = await readMail(padded)
      const mail = await read(Buffer.from(padded))
      assert.deepEqual(mail, expected, name)
      for (const { bytes } of mail.files) assert.ok(Buffer.isBuffer(bytes))
    }
    assert.ok(large > 60, String(large))
    assert.equal(threads.length, 1)
  })

  test('reads small mails itself, and starts its thread with the first large one', async (t) => {
    const { read, threads } = start(t)
    assert.equal((await read(plain(MAX_AT_ONCE))).subject, 'Large')
    assert.equal(threads.length, 0)
    assert.equal((await read(plain(MAX_AT_ONCE + 1))).subject, 'Large')
    assert.equal(threads.length, 1)
  })

  test('reads invitations in its thread, however small they are', async (t) => {
    const { read, threads } = start(t)
    const source = invitingMail(calendarLines('REQUEST', [eventLines({ more: ['RRULE:FREQ=DAILY'] })]))
    assert.deepEqual((await read(Buffer.from(source))).invitations, [])
    assert.equal(threads.length, 0) // without a view of calendars
    const at = Date.parse('2026-11-20T08:36:00Z')
    const view = { timezone: 'Europe/Berlin', now: at, arrivedAt: at }
    const mail = await read(Buffer.from(source), view)
    assert.equal(threads.length, 1)
    assert.deepEqual(mail, await readMail(source, view))
    assert.equal(mail.invitations[0]?.occurrences.length, 354)
  })

  const OPENED = 'Content-Type: application/octet-stream; name'
  for (const [what, fields] of [
    ['in S/MIME', 'Content-Type: application/pkcs7-mime'],
    ['in S/MIME by the old name of its type', 'Content-Type: application/x-pkcs7-mime'],
    ['in S/MIME by the name of its file', `${OPENED}="smime.p7m"`],
    ['in compressed S/MIME', `${OPENED}=smime.p7z`],
    ['in S/MIME by an encoded name', `${OPENED}*=utf-8''smime%2Ep7z`],
    ['with an attached mail', 'Content-Type: message/rfc822'],
  ] as const)
    test(`reads a mail ${what} in its thread, however small it is`, async (t) => {
      const { read, threads } = start(t)
      await read(Buffer.from(`Subject: Small\r\n${fields}\r\n\r\nMIAGCSqGSIb3DQEHAqCAMIACAQE=\r\n`))
      assert.equal(threads.length, 1)
    })

  test('hands the bytes over, but not those that others use', async (t) => {
    const { read } = start(t)
    const whole = plain(MIB)
    await read(whole)
    assert.equal(whole.length, 0)
    const shared = Buffer.concat([Buffer.alloc(100, 'x'), plain(MIB, 'Within'), Buffer.alloc(100, 'x')])
    const mail = await read(shared.subarray(100, 100 + MIB))
    assert.equal(mail.subject, 'Within')
    assert.match(mail.text, /A line\.$/m)
    assert.equal(shared.length, MIB + 200)
  })

  test('leaves the event loop to others while it reads what takes long', async (t) => {
    const { read } = start(t)
    await read(plain(MIB)) // the thread has started
    const source = hostile()
    const delay = monitorEventLoopDelay({ resolution: 5 })
    let turns = 0
    const timer = setInterval(() => turns++, 5)
    delay.enable()
    const started = performance.now()
    const mail = await read(source)
    const ms = performance.now() - started
    delay.disable()
    clearInterval(timer)
    const held = delay.max / 1e6
    t.diagnostic(`${ms.toFixed(0)} ms, ${turns} turns, the longest of ${held.toFixed(1)} ms`)
    assert.deepEqual(
      [mail.subject, mail.notes],
      [null, ['The text was truncated because a mail can have 1 MiB of text.']],
    )
    assert.ok(turns >= 20, `${turns} turns in ${ms} ms`)
  })

  test('reads one large mail at a time, in the order in which they came', async (t) => {
    const { read, threads } = start(t)
    const subjects = ['One', 'Two', 'Three', 'Four']
    const done: (string | null)[] = []
    await Promise.all(subjects.map(async (subject) => done.push((await read(plain(MIB, subject))).subject)))
    assert.deepEqual([done, threads.length], [subjects, 1])
  })

  test('answers a mail on which its thread dies as one that could not be read, and the next one by a new thread', async (t) => {
    const { read, threads } = start(t)
    await read(plain(MIB))
    const lost = read(hostile())
    const next = read(plain(MIB, 'Next'))
    setImmediate(() => threads[0]?.terminate())
    const { notes, text } = await lost
    assert.deepEqual(notes, UNREADABLE)
    assert.match(text, /^Content-Type: multipart\/mixed; boundary=B\n\n/)
    assert.ok(text.length <= 65_536)
    assert.equal((await next).subject, 'Next')
    assert.equal(threads.length, 2)
  })

  test('answers so a mail that takes too long', async (t) => {
    const { read, threads } = start(t, { timeout_ms: 1 })
    const { digest, ...lost } = await read(hostile())
    assert.deepEqual(lost.notes, UNREADABLE)
    assert.deepEqual([lost.from, lost.subject, lost.files, lost.html], [null, null, [], null])
    assert.match(digest, /^[\w-]{43}$/)
    await read(hostile())
    assert.equal(threads.length, 2)
  })

  test('answers so a mail for which its thread would need too much memory', async (t) => {
    const { read, threads } = start(t, { memory_mb: 32 })
    await read(plain(MIB))
    const source = Buffer.alloc(25 * MIB, '+AGE-')
    source.write('Content-Type: text/plain; charset=utf-7\n\n')
    const { notes } = await read(source)
    assert.deepEqual(notes, UNREADABLE)
    assert.equal((await read(plain(MIB, 'Next'))).subject, 'Next')
    assert.equal(threads.length, 2)
  })

  test('ends a thread that has nothing to read, and starts another one', async (t) => {
    const { read, threads } = start(t, { idle_ms: 10 })
    await read(plain(MIB))
    await once(threads[0] as Worker, 'exit')
    assert.equal((await read(plain(MIB, 'Later'))).subject, 'Later')
    assert.equal(threads.length, 2)
  })

  test('stops at once, whatever it is reading', async (t) => {
    const { read, stop, threads } = start(t)
    await read(plain(MIB))
    const rejected = [hostile(), plain(MIB)].map((source) => assert.rejects(read(source), /mail reader has stopped/))
    const gone = once(threads[0] as Worker, 'exit')
    await stop()
    await Promise.all([...rejected, gone])
    await assert.rejects(read(plain(10)), /has stopped/)
    assert.equal(threads.length, 1)
  })
})
