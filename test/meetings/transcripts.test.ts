import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import fc from 'fast-check'
import { meetingStore } from '../../src/meetings/meetings.ts'
import { exportedSegments } from '../../src/meetings/segments.ts'
import { swapContact, unswapContact } from '../../src/meetings/speakers.ts'
import { exported } from '../../src/meetings/transcript.ts'
import { transcriptStore } from '../../src/meetings/transcripts.ts'
import { errorsOf, type Given, recordsOf, UNKNOWN } from '../support/records.ts'
import { examples } from '../support/seed.ts'
import { startServer, type TestServer } from '../support/server.ts'

type Sent = { query?: string; type?: string; accept?: string; headers?: Record<string, string>; token?: string }

const VTT = 'text/vtt'
const SRT = 'application/x-subrip'

let server: TestServer
const { newId } = recordsOf(() => server)
before(async () => {
  server = await startServer()
})
after(() => server.stop())

const newMeeting = (given: Given = {}, token = server.a.token) =>
  newId(
    '/meetings',
    { title: 'Demo', starts_at: '2026-11-20T09:00:00Z', ends_at: '2026-11-20T10:00:00Z', ...given },
    { token },
  )
const newContact = (last_name: string) => newId('/contacts', { last_name })
const getMeeting = async (id: string) => (await server.call('GET', `/meetings/${id}`)).body

/** Sends a request whose body or answer may be a file. */
async function send(
  method: string,
  meeting: string,
  body?: string,
  { query = '', type, accept, headers, token }: Sent = {},
) {
  const response = await fetch(`${server.url}/api/v1/meetings/${meeting}/transcript${query}`, {
    method,
    headers: {
      authorization: `Bearer ${token ?? server.a.token}`,
      ...(type ? { 'content-type': type } : {}),
      ...(accept ? { accept } : {}),
      ...headers,
    },
    ...(body === undefined ? {} : { body }),
  })
  return { status: response.status, headers: response.headers, text: await response.text() }
}

const put = (meeting: string, body: unknown, options = {}) =>
  server.call('PUT', `/meetings/${meeting}/transcript`, body, options)
const get = (meeting: string, query = '', options = {}) =>
  server.call('GET', `/meetings/${meeting}/transcript${query}`, undefined, options)

async function stored(meeting: string, body: unknown) {
  const answer = await put(meeting, body)
  assert.equal(answer.status, 200, answer.text)
  return answer.body
}
async function storedFile(meeting: string, type: string, file: string) {
  const { status, text } = await send('PUT', meeting, file, { type })
  assert.equal(status, 200, text)
  return JSON.parse(text)
}
async function read(meeting: string, accept: string): Promise<string> {
  const { status, text, headers } = await send('GET', meeting, undefined, { accept })
  assert.equal(status, 200, text)
  assert.equal(headers.get('content-type'), `${accept}; charset=utf-8`)
  return text
}

const said = (text: string, start_ms = 0, end_ms = start_ms, speaker: string | null = null) => ({
  speaker,
  start_ms,
  end_ms,
  text,
})
const texts = ({ segments }: { segments: { text: string }[] }) => segments.map(({ text }) => text)
const told = ({ segments }: { segments: { speaker: string; text: string }[] }) =>
  segments.map(({ speaker, text }) => `${speaker ?? '-'}: ${text}`)
const who = () => ({ org: server.a.org, member: server.a.owner })
const found = async (q: string): Promise<string[]> => {
  const { body } = await server.call('GET', `/meetings?q=${encodeURIComponent(q)}`)
  return body.data.map(({ id }: { id: string }) => id)
}

describe('PUT', () => {
  test('stores what was said, and tells it by an event of its own and one of the meeting', async () => {
    const { a, lastSeq, events } = server
    const meeting = await newMeeting()
    const contact = await newContact('Ruiz')
    const seq = lastSeq()
    const { status, body, headers } = await put(meeting, {
      language: 'en-GB',
      source: 'zoom',
      speakers: [
        { key: 'a', name: 'Ana', member_id: a.owner },
        { key: 'b', contact_id: contact },
      ],
      segments: [
        said('Good morning.', 0, 2400, 'a'),
        said('Hello, Ana!', 2400, 4000, 'b'),
        said('(Music)', 4000, 4100),
      ],
    })
    assert.equal(status, 200)
    assert.equal(headers.get('etag'), '"1"')
    const about = {
      id: body.id,
      meeting_id: meeting,
      language: 'en-GB',
      source: 'zoom',
      speakers: [
        { key: 'a', name: 'Ana', member_id: a.owner, contact_id: null, talk_ms: 2400 },
        { key: 'b', name: null, member_id: null, contact_id: contact, talk_ms: 1600 },
      ],
    }
    const sums = {
      duration_ms: 4100,
      word_count: 5,
      created_at: body.created_at,
      updated_at: body.created_at,
      version: 1,
    }
    assert.deepEqual(body, {
      ...about,
      segments: [
        { index: 0, speaker: 'a', start_ms: 0, end_ms: 2400, text: 'Good morning.' },
        { index: 1, speaker: 'b', start_ms: 2400, end_ms: 4000, text: 'Hello, Ana!' },
        { index: 2, speaker: null, start_ms: 4000, end_ms: 4100, text: '(Music)' },
      ],
      next_cursor: null,
      ...sums,
    })
    assert.deepEqual((await get(meeting)).body, body)
    assert.deepEqual(
      events(seq).map(({ type, object, changed_fields, actor }) => [type, object, changed_fields, actor]),
      [
        ['meeting.updated', await getMeeting(meeting), ['has_transcript'], a.owner],
        ['transcript.ready', { ...about, ...sums }, [], a.owner],
      ],
    )
    assert.equal((await getMeeting(meeting)).has_transcript, true)
  })

  test('replaces the whole of it, under the same id', async () => {
    const { lastSeq, events } = server
    const meeting = await newMeeting()
    const segments = [said('One', 0, 1, 'x'), said('Two', 1, 2)]
    const first = await stored(meeting, { language: 'de', source: 'x', segments })
    const seq = lastSeq()
    server.advance(1000)
    const second = await stored(meeting, { segments: [said('Three', 5, 9)] })
    assert.deepEqual(second, {
      ...first,
      language: null,
      source: null,
      speakers: [],
      segments: [{ index: 0, ...said('Three', 5, 9) }],
      duration_ms: 9,
      word_count: 1,
      updated_at: new Date(server.now()).toISOString(),
      version: 2,
    })
    assert.deepEqual((await get(meeting)).body, second)
    const [event, ...more] = events(seq)
    assert.deepEqual(more, [], 'the meeting has a transcript as before')
    const { segments: _, next_cursor, ...object } = second
    assert.deepEqual([event?.type, event?.object], ['transcript.ready', object])
    assert.deepEqual(event?.previous, {
      language: 'de',
      source: 'x',
      speakers: first.speakers,
      duration_ms: 2,
      word_count: 2,
    })
  })

  test('of what is stored already writes nothing and tells nothing, in whichever form', async () => {
    const { lastSeq } = server
    const meeting = await newMeeting()
    const given = {
      speakers: [{ key: 'Ana', name: 'Ana' }],
      segments: [said('One', 0, 10, 'Ana'), said('<Two>', 5, 10)],
    }
    const first = await stored(meeting, given)
    const seq = lastSeq()
    server.advance(1000)
    assert.deepEqual(await stored(meeting, given), first)
    assert.deepEqual(await storedFile(meeting, VTT, await read(meeting, VTT)), { ...first, mended: [] })
    assert.deepEqual((await get(meeting)).body, first)
    assert.equal(lastSeq(), seq)
  })

  for (const [what, change] of [
    ['the language', { language: 'fr' }],
    ['the source', { source: 'other' }],
    ['a name', { speakers: [{ key: 'a', name: 'Ben' }] }],
    ['a text', { segments: [said('Two', 0, 1, 'a')] }],
    ['a start', { segments: [said('One', 1, 1, 'a')] }],
    ['an end', { segments: [said('One', 0, 2, 'a')] }],
    ['who said it', { segments: [said('One', 0, 1)] }],
    ['one segment more', { segments: [said('One', 0, 1, 'a'), said('One', 0, 1, 'a')] }],
    ['one segment less', { segments: [] }],
  ] as [string, Given][]) {
    test(`that changes ${what} alone is a change`, async () => {
      const { lastSeq, events } = server
      const meeting = await newMeeting()
      const given = {
        language: 'de',
        source: 'x',
        speakers: [{ key: 'a', name: 'Ana' }],
        segments: [said('One', 0, 1, 'a')],
      }
      await stored(meeting, given)
      const seq = lastSeq()
      const after = await stored(meeting, { ...given, ...change })
      assert.equal(after.version, 2)
      assert.deepEqual((await get(meeting)).body, after)
      assert.deepEqual(
        events(seq).map(({ type }) => type),
        ['transcript.ready'],
      )
    })
  }

  test('orders segments by their start, and leaves those of one start as they came', async () => {
    const body = await stored(await newMeeting(), {
      segments: [said('c', 20, 21), said('a', 0, 90), said('d', 20, 20), said('b', 10, 11), said('e', 20, 30)],
    })
    assert.deepEqual(texts(body), ['a', 'b', 'c', 'd', 'e'])
    assert.deepEqual(
      body.segments.map(({ index }: { index: number }) => index),
      [0, 1, 2, 3, 4],
    )
    assert.equal(body.duration_ms, 90, 'the last end, which need not be that of the last segment')
  })

  test('makes the speakers from the keys, where none are given', async () => {
    const body = await stored(await newMeeting(), {
      segments: [said('1', 5, 6, 'B'), said('2', 0, 1, 'A'), said('3', 7, 8), said('4', 9, 9, 'B')],
    })
    const made = (key: string, talk_ms: number) => ({ key, name: null, member_id: null, contact_id: null, talk_ms })
    assert.deepEqual(body.speakers, [made('A', 1), made('B', 1)])
  })

  test('counts time in which a speaker has several segments once, and that of others by itself', async () => {
    const body = await stored(await newMeeting(), {
      speakers: [{ key: 'a' }, { key: 'silent' }, { key: 'b' }],
      segments: [
        said('1', 0, 100, 'a'),
        said('2', 50, 60, 'a'),
        said('3', 90, 150, 'a'),
        said('4', 0, 1000, 'b'),
        said('5', 150, 160, 'a'),
        said('6', 300, 300, 'a'),
        said('7', 400, 410, 'a'),
      ],
    })
    assert.deepEqual(
      body.speakers.map(({ key, talk_ms }: Given) => [key, talk_ms]),
      [
        ['a', 170],
        ['silent', 0],
        ['b', 1000],
      ],
    )
  })

  test('talk times are the milliseconds that a segment of the speaker covers', async () => {
    const segment = fc
      .tuple(fc.constantFrom('a', 'b', null), fc.nat(60), fc.nat(30))
      .map(([speaker, start, length]) => said('x', start, start + length, speaker))
    const meeting = await newMeeting()
    await fc.assert(
      fc.asyncProperty(fc.array(segment, { maxLength: 12 }), async (segments) => {
        const { speakers } = await stored(meeting, { speakers: [{ key: 'a' }, { key: 'b' }], segments })
        for (const { key, talk_ms } of speakers) {
          const own = segments.filter(({ speaker }) => speaker === key)
          const covered = Array.from({ length: 100 }, (_, ms) =>
            own.some((one) => one.start_ms <= ms && ms < one.end_ms),
          )
          assert.equal(talk_ms, covered.filter(Boolean).length)
        }
      }),
      { numRuns: examples(100) },
    )
  })

  test('takes a transcript in which nothing is said', async () => {
    const body = await stored(await newMeeting(), { segments: [] })
    assert.deepEqual([body.segments, body.speakers, body.duration_ms, body.word_count], [[], [], 0, 0])
  })

  test('keeps texts of many lines and signs as they are', async () => {
    const text = ' a\n\n"b" <c> & \\ 😀\t'
    const meeting = await newMeeting()
    await stored(meeting, { source: '"x"', segments: [said(text, 0, 1, '"k"')] })
    const { body } = await get(meeting)
    assert.deepEqual([body.segments[0].text, body.segments[0].speaker, body.source], [text, '"k"', '"x"'])
  })

  const refused: [string, Given | (() => Given), string[]][] = [
    ['no segments', {}, ['/segments required']],
    ['segments that are null', { segments: null }, ['/segments not_null']],
    ['an end before the start', { segments: [said('a', 1, 1), said('b', 2, 1)] }, ['/segments/1/end_ms wrong_order']],
    [
      'an end before the start, by its place in the body',
      { segments: [said('b', 9, 8), said('a', 1, 1)] },
      ['/segments/0/end_ms wrong_order'],
    ],
    ['no text', { segments: [{ start_ms: 0, end_ms: 1 }] }, ['/segments/0/text required']],
    ['an empty text', { segments: [said(' \n')] }, ['/segments/0/text empty']],
    ['a text of more than 64 KiB', { segments: [said('é'.repeat(32_769))] }, ['/segments/0/text too_long']],
    ['a time below zero', { segments: [said('a', -1, 1)] }, ['/segments/0/start_ms out_of_range']],
    ['a time of 100 hours', { segments: [said('a', 0, 360_000_000)] }, ['/segments/0/end_ms out_of_range']],
    ['half a millisecond', { segments: [said('a', 0.5, 1)] }, ['/segments/0/start_ms invalid_integer']],
    ['an index', { segments: [{ index: 0, ...said('a') }] }, ['/segments/0/index unknown_field']],
    [
      'a speaker that is none',
      { speakers: [{ key: 'a' }], segments: [said('x', 0, 1, 'a'), said('y', 0, 1, 'b')] },
      ['/segments/1/speaker unknown_speaker'],
    ],
    [
      'a speaker where there are none',
      { speakers: [], segments: [said('x', 0, 1, 'a')] },
      ['/segments/0/speaker unknown_speaker'],
    ],
    ['a blank speaker', { segments: [said('x', 0, 1, ' ')] }, ['/segments/0/speaker empty']],
    [
      'more than 1,000 speakers',
      { segments: Array.from({ length: 1001 }, (_, at) => said('x', 0, 1, `s${at}`)) },
      ['/segments too_many_speakers'],
    ],
    [
      'a key twice',
      { speakers: [{ key: 'a' }, { key: 'b' }, { key: 'a' }], segments: [] },
      ['/speakers/2/key repeated'],
    ],
    ['a blank key', { speakers: [{ key: '' }], segments: [] }, ['/speakers/0/key empty']],
    ['a blank name', { speakers: [{ key: 'a', name: ' ' }], segments: [] }, ['/speakers/0/name empty']],
    ['talk times', { speakers: [{ key: 'a', talk_ms: 1 }], segments: [] }, ['/speakers/0/talk_ms unknown_field']],
    ['a duration', { duration_ms: 1, segments: [] }, ['/duration_ms unknown_field']],
    ['a cursor', { next_cursor: null, segments: [] }, ['/next_cursor unknown_field']],
    ['no language', { language: 'english!', segments: [] }, ['/language invalid_language']],
    ['a long source', { source: 'x'.repeat(256), segments: [] }, ['/source too_long']],
    [
      'a member and a contact who are nobody',
      {
        speakers: [
          { key: 'a', member_id: UNKNOWN },
          { key: 'b', contact_id: UNKNOWN },
        ],
        segments: [],
      },
      ['/speakers/0/member_id reference_not_found', '/speakers/1/contact_id reference_not_found'],
    ],
    [
      'both a member and a contact',
      () => ({ speakers: [{ key: 'a', member_id: server.a.owner, contact_id: UNKNOWN }], segments: [] }),
      ['/speakers/0 contact_and_member'],
    ],
    [
      'a member of another organisation',
      () => ({ speakers: [{ key: 'a', member_id: server.b.owner }], segments: [] }),
      ['/speakers/0/member_id reference_not_found'],
    ],
  ]
  for (const [what, given, errors] of refused) {
    test(`is refused with ${what}, and what there is stays`, async () => {
      const { lastSeq } = server
      const meeting = await newMeeting()
      const first = await stored(meeting, { segments: [said('stays')] })
      const seq = lastSeq()
      const { status, body } = await put(meeting, typeof given === 'function' ? given() : given)
      assert.equal(status, 422)
      assert.deepEqual(errorsOf(body), errors)
      assert.deepEqual((await get(meeting)).body, first)
      assert.equal(lastSeq(), seq)
    })
  }

  test('tells of a hundred errors at most', async () => {
    const { status, body } = await put(await newMeeting(), {
      segments: Array.from({ length: 500 }, () => said('a', 2, 1)),
    })
    assert.deepEqual([status, body.errors.length], [422, 100])
  })

  test('takes 20,000 segments and 8 MiB, and no more', async () => {
    const meeting = await newMeeting()
    const segments = Array.from({ length: 20_000 }, (_, at) =>
      said(`Words ${at}`, at * 500, at * 500 + 700, `s${at % 4}`),
    )
    const body = await stored(meeting, { segments })
    assert.deepEqual([body.segments.length, body.version], [20_000, 1])
    assert.equal((await get(meeting)).body.segments.length, 50)

    const more = await put(meeting, { segments: [...segments, said('x')] })
    assert.deepEqual([more.status, more.body.code], [400, 'array_too_long'])
    const cues = Array.from({ length: 20_001 }, () => '00:00.000 --> 00:01.000\nHi\n').join('\n')
    const file = await send('PUT', meeting, `WEBVTT\n\n${cues}`, { type: VTT })
    assert.deepEqual([file.status, errorsOf(JSON.parse(file.text))], [422, ['/segments too_many']])
    // Nothing behind them is read.
    for (const [type, text] of [
      [VTT, `WEBVTT\n\n00:00.000 --> 00:01.000\n${'<v a>x'.repeat(20_002)}\n\nno\ntimes\n`],
      [SRT, `${'0:0,000 --> 0:1,000\nx\n\n'.repeat(20_001)}no times\n`],
    ] as const) {
      const { status, text: answer } = await send('PUT', meeting, text, { type })
      assert.deepEqual([status, errorsOf(JSON.parse(answer))], [422, ['/segments too_many']])
    }

    const large = (mib: number) => `{"segments":[]${' '.repeat(mib * 1_048_576 - 15)}}`
    assert.equal((await send('PUT', meeting, large(8), { type: 'application/json' })).status, 200)
    const larger = await send('PUT', meeting, `${large(8)} `, { type: 'application/json' })
    assert.deepEqual([larger.status, JSON.parse(larger.text).code], [413, 'body_too_large'])
  })

  test('works against the version that is there', async () => {
    const meeting = await newMeeting()
    const given = (text: string) => ({ segments: [said(text)] })
    const ifMatch = (version: string) => ({ headers: { 'if-match': version } })
    const early = await put(meeting, given('a'), ifMatch('"1"'))
    assert.deepEqual([early.status, early.body.code], [412, 'version_mismatch'])
    assert.equal((await get(meeting)).status, 404)
    await stored(meeting, given('a'))
    assert.equal((await put(meeting, given('b'), ifMatch('"1"'))).body.version, 2)
    assert.equal((await put(meeting, given('c'), ifMatch('"1"'))).status, 412)
    assert.deepEqual(texts((await get(meeting)).body), ['b'])
  })

  test('needs a body of a type that it takes', async () => {
    const meeting = await newMeeting()
    for (const [type, body, status] of [
      ['text/plain', 'Ana: Hi', 415],
      ['application/merge-patch+json', '{"segments":[]}', 415],
      ['text/vtt; charset=klingon', 'WEBVTT', 415],
      ['text/vtt; charset=UTF-8', 'WEBVTT', 200],
      [SRT, ' ', 400],
      [VTT, '', 400],
      ['application/json', '', 400],
      ['application/json', '[]', 400],
    ] as const)
      assert.equal((await send('PUT', meeting, body, { type })).status, status, `${type} ${body}`)
    const none = await send('PUT', meeting, '', { type: 'text/plain' })
    assert.equal(none.headers.get('accept'), `application/json, ${VTT}, ${SRT}, multipart/form-data`)
  })
})

describe('a file', () => {
  const people = async () => {
    const ruiz = await newId('/contacts', { first_name: 'Ana María', last_name: 'Ruiz' })
    const participants = [
      { contact_id: ruiz, name: 'Ana' },
      { email: 'ben@nowhere.example', name: 'Ben Okafor' },
      { contact_id: await newContact('Twin'), name: 'Kim Twin' },
      { contact_id: await newContact('Twin'), name: 'Kim Twin' },
    ]
    return { ruiz, meeting: await newMeeting({ participants }) }
  }
  const speaker = (name: string, ids: Given = {}) => ({ key: name, name, member_id: null, contact_id: null, ...ids })
  const speakersOf = ({ speakers }: { speakers: Given[] }) => speakers.map(({ talk_ms, ...rest }) => rest)

  test('of WebVTT has voices, who are those who take part by these names', async () => {
    const { ruiz, meeting } = await people()
    const voices = ['Ana', 'ana maria ruiz', 'Ben Okafor', 'Kim Twin', 'Zoe']
    const cues = voices.map((name, at) => `00:0${at}.000 --> 00:0${at}.500\n<v ${name}>Hi</v>\n`)
    const body = await storedFile(meeting, VTT, `WEBVTT\n\n${cues.join('\n')}`)
    assert.deepEqual(speakersOf(body), [
      speaker('Ana', { contact_id: ruiz }),
      speaker('ana maria ruiz', { contact_id: ruiz }),
      speaker('Ben Okafor'), // whom nobody knows but by an email
      speaker('Kim Twin'), // one of two
      speaker('Zoe'),
    ])
    assert.deepEqual(
      body.speakers.map(({ talk_ms }: Given) => talk_ms),
      [500, 500, 500, 500, 500],
    )
    assert.deepEqual([body.language, body.source], [null, null])
  })

  test('has the member who owns the meeting, and members who take part', async () => {
    const { a } = server
    const owned = await newMeeting({ owner_id: a.owner })
    const attended = await newMeeting({ participants: [{ member_id: a.owner, name: 'Chair' }] })
    for (const [meeting, name] of [
      [owned, 'Ana'],
      [attended, 'Ana'],
      [attended, 'Chair'],
    ] as const) {
      const body = await storedFile(meeting, VTT, `WEBVTT\n\n00:00.000 --> 00:01.000\n<v ${name}>Hi`)
      assert.deepEqual(speakersOf(body), [speaker(name, { member_id: a.owner })])
    }
    // Of two who have the name nobody knows which one speaks.
    const namesake = await newContact('Ana')
    const both = await newMeeting({ owner_id: a.owner, participants: [{ contact_id: namesake }] })
    for (const [meeting, name] of [
      [owned, 'Chair'],
      [both, 'Ana'],
    ] as const) {
      const body = await storedFile(meeting, VTT, `WEBVTT\n\n00:00.000 --> 00:01.000\n<v ${name}>Hi`)
      assert.deepEqual(speakersOf(body), [speaker(name)])
    }
  })

  test('may have names in front of its texts, which are speakers where they take part', async () => {
    const { ruiz, meeting } = await people()
    const lines = ['Ana: Hi', 'Ben Okafor: Ho: ho', 'Note: x', 'BEN OKAFOR: Ha\nAna: He']
    const blocks = (mark: string) =>
      lines.map((text, at) => `${at}\n00:00:0${at}${mark}000 --> 00:00:0${at}${mark}500\n${text}\n`).join('\n')
    for (const body of [
      await storedFile(meeting, SRT, blocks(',')),
      await storedFile(meeting, VTT, `WEBVTT\n\n${blocks('.')}`),
    ]) {
      assert.deepEqual(told(body), ['Ana: Hi', 'Ben Okafor: Ho: ho', '-: Note: x', 'Ben Okafor: Ha', 'Ana: He'])
      assert.deepEqual(speakersOf(body), [speaker('Ana', { contact_id: ruiz }), speaker('Ben Okafor')])
    }
  })

  test('leaves a name in the text that is too long for a speaker', async () => {
    const name = 'x'.repeat(300)
    const meeting = await newMeeting({ participants: [{ email: 'x@x.example', name }] })
    const body = await storedFile(meeting, SRT, `1\n00:00:00,000 --> 00:00:01,000\n${name}: Hi`)
    assert.deepEqual([body.speakers, told(body)], [[], [`-: ${name}: Hi`]])
  })

  test('is the only one that is asked for names: JSON says itself who speaks', async () => {
    const { meeting } = await people()
    const body = await stored(meeting, {
      speakers: [{ key: 'a', name: 'Ana' }],
      segments: [said('Ana: Hi'), said('Hi', 0, 1, 'a')],
    })
    assert.deepEqual(told(body), ['-: Ana: Hi', 'a: Hi'])
    assert.deepEqual(speakersOf(body), [{ ...speaker('Ana'), key: 'a' }])
  })

  test('that is malformed is refused with the line, and what there is stays', async () => {
    const meeting = await newMeeting()
    const first = await stored(meeting, { segments: [said('stays')] })
    for (const [type, file, detail] of [
      [VTT, 'WEBVTT\n\nHi', /^Line 3 /],
      [VTT, 'Hi\n\n00:00:01,000 --> 00:00:02,000\n', /^Line 1 /],
      [SRT, '1\nHi', /^Line 1 /],
    ] as const) {
      const { status, text } = await send('PUT', meeting, file, { type })
      const { code, detail: told } = JSON.parse(text)
      assert.deepEqual([status, code], [400, 'malformed_captions'])
      assert.match(told, detail)
    }
    assert.deepEqual((await get(meeting)).body, first)
  })

  test('that a program wrote wrongly is read, and the answer lists what was mended', async () => {
    const meeting = await newMeeting()
    const body = await storedFile(meeting, VTT, 'WEBVTT\n\n00:01,000 --> 00:02.000\nHi\n\n00:05.000 --> 00:04.000\nHo')
    assert.deepEqual(told(body), ['-: Hi', '-: Ho'])
    assert.deepEqual(body.mended, [
      'Line 3: a comma stands for the point.',
      'Line 6: the cue ends before it starts; now it ends when it starts.',
    ])
    assert.equal('mended' in (await get(meeting)).body, false)
    assert.deepEqual((await storedFile(meeting, VTT, 'WEBVTT\n\n00:01.000 --> 00:02.000\nHi')).mended, [])
    const other = await storedFile(meeting, SRT, 'WEBVTT\n\n00:01.000 --> 00:02.000\n<v Ana>Hi')
    assert.deepEqual(told(other), ['Ana: Hi'])
  })

  test('is in UTF-8, in UTF-16 with a mark, or in the charset that is stated', async () => {
    const file = '1\r\n00:00:01,000 --> 00:00:02,000\r\nGrüße.\r\n'
    const wide = Buffer.from(`\ufeff${file}`, 'utf16le')
    for (const [bytes, type] of [
      [Buffer.from(file), SRT],
      [Buffer.from(file), `${SRT}; charset=UTF-8`],
      [wide, SRT],
      [Buffer.from(wide).swap16(), SRT],
      [wide, `${SRT}; charset=utf-8`],
      [wide.subarray(2), `${SRT}; charset=utf-16le`],
      [Buffer.from(file, 'latin1'), `${SRT}; charset=iso-8859-1`],
      [Buffer.from(file, 'latin1'), `${SRT}; charset="windows-1252"`],
    ] as const)
      assert.deepEqual(told(await storedFile(await newMeeting(), type, bytes as never)), ['-: Grüße.'], type)
    for (const [bytes, type, status] of [
      [Buffer.from(file, 'latin1'), SRT, 400],
      [Buffer.from(file), `${SRT}; charset=klingon`, 415],
    ] as const) {
      const answer = await send('PUT', await newMeeting(), bytes as never, { type })
      assert.equal(answer.status, status, type)
    }
  })

  test('has texts that the rules hold for, too', async () => {
    const file = (text: string) => `WEBVTT\n\n00:00.000 --> 00:01.000\n${text}`
    for (const [text, error] of [
      ['a\0b', '/segments/0/text invalid_text'],
      ['x'.repeat(65_537), '/segments/0/text too_long'],
      [`<v ${'x'.repeat(256)}>Hi`, '/segments/0/speaker too_long'],
    ] as const) {
      const { status, text: answer } = await send('PUT', await newMeeting(), file(text), { type: VTT })
      assert.deepEqual([status, errorsOf(JSON.parse(answer))], [422, [error]])
    }
    const body = await storedFile(await newMeeting(), VTT, file('cafe\u0301'))
    assert.equal(body.segments[0].text, 'café')
  })

  test('with more lines that begin with names than there may be segments is refused', async () => {
    const { meeting } = await people()
    const cues = Array.from({ length: 10_001 }, () => '1\n00:00:00,000 --> 00:00:01,000\nAna: Hi\nBen Okafor: Ho\n')
    const { status, text } = await send('PUT', meeting, cues.join('\n'), { type: SRT })
    assert.deepEqual([status, errorsOf(JSON.parse(text))], [422, ['/segments too_many']])
  })
})

describe('GET', () => {
  let meeting: string
  before(async () => {
    meeting = await newMeeting()
    await stored(meeting, {
      speakers: [
        { key: 'a', name: 'Ana' },
        { key: 'b', name: 'Ben' },
      ],
      segments: Array.from({ length: 120 }, (_, at) =>
        said(at % 10 === 0 ? `Größe und Preis ${at}` : `Satz ${at}`, at * 1000, at * 1000 + 900, at % 2 ? 'b' : 'a'),
      ),
    })
  })

  /** Returns all pages, following their cursors. */
  async function walk(query: string) {
    const pages = []
    for (let cursor: string | null = ''; cursor !== null; ) {
      const { status, body, headers } = await get(meeting, `?${query}${cursor && `&cursor=${cursor}`}`)
      assert.equal(status, 200, JSON.stringify(body))
      pages.push(body)
      cursor = body.next_cursor
      const path = `/api/v1/meetings/${meeting}/transcript?${query}&cursor=${cursor}`
      assert.equal(headers.get('link'), cursor === null ? null : `<${path}>; rel="next"`)
    }
    return pages
  }

  test('pages the segments, each once, with all else on every page', async () => {
    for (const [limit, sizes] of [
      [50, [50, 50, 20]],
      [40, [40, 40, 40]],
      [100, [100, 20]],
    ] as const) {
      const pages = await walk(`limit=${limit}`)
      assert.deepEqual(
        pages.map(({ segments }) => segments.length),
        sizes,
      )
      const all = pages.flatMap(({ segments }) => segments)
      assert.deepEqual(
        all.map(({ index, start_ms }) => [index, start_ms]),
        Array.from({ length: 120 }, (_, at) => [at, at * 1000]),
      )
      const [{ segments: _, next_cursor: __, ...first }] = pages as [Given]
      for (const { segments, next_cursor, ...rest } of pages) assert.deepEqual(rest, first)
      assert.equal(first.word_count, 120 * 2 + 12 * 2)
    }
    assert.equal((await get(meeting)).body.segments.length, 50)
  })

  test('finds the segments whose words begin with all those of q, without regard to case and accents', async () => {
    const indexes = async (q: string) =>
      (await walk(`limit=5&q=${encodeURIComponent(q)}`)).flatMap(({ segments }) =>
        segments.map(({ index }: Given) => index),
      )
    const tens = Array.from({ length: 12 }, (_, at) => at * 10)
    assert.deepEqual(await indexes('grosse'), tens)
    assert.deepEqual(await indexes('PREI gros'), tens)
    assert.deepEqual(await indexes('Größe 30'), [30])
    assert.deepEqual(await indexes('11'), [11, 110, 111, 112, 113, 114, 115, 116, 117, 118, 119])
    assert.deepEqual(await indexes('reis'), [], 'no word begins with it')
    assert.deepEqual(await indexes('Satz Preis'), [], 'in no segment are both')
    assert.deepEqual(await indexes(''), [])
    assert.deepEqual(await indexes('%'), [])
  })

  test('finds what was written with signs in it as one number', async () => {
    const other = await newMeeting()
    await stored(other, { segments: [said('Call 030 1234567'), said('Call 0301234567'), said('Call 999')] })
    assert.deepEqual(texts((await get(other, '?q=030%201234567')).body), ['Call 030 1234567'])
    assert.deepEqual(texts((await get(other, '?q=(0301)234567')).body), [])
    assert.deepEqual(texts((await get(other, '?q=030-1234567')).body), ['Call 030 1234567'])
  })

  test('counts the characters of a query, not their units of UTF-16', async () => {
    const smiles = (count: number) => get(meeting, `?q=${encodeURIComponent('🙂'.repeat(count))}`)
    assert.equal((await smiles(255)).status, 200)
    const { status, body } = await smiles(256)
    assert.deepEqual([status, body.detail], [400, 'The parameter "q" can have at most 255 characters.'])
  })

  test('refuses parameters that it does not have, and cursors of other questions', async () => {
    const { body } = await get(meeting, '?limit=5&q=Satz')
    for (const query of [
      '?limit=0',
      '?limit=101',
      '?sort=index',
      '?count=true',
      `?q=${'x'.repeat(256)}`,
      '?q=%00',
      '?q=a&q=b',
      `?q=${encodeURIComponent(`a${'\u0301'.repeat(31)}`)}`,
    ]) {
      const answer = await get(meeting, query)
      assert.deepEqual([answer.status, answer.body.code], [400, 'invalid_query'], query)
    }
    for (const query of [`?cursor=${body.next_cursor}`, `?q=Preis&cursor=${body.next_cursor}`, '?cursor=x']) {
      const answer = await get(meeting, query)
      assert.deepEqual([answer.status, answer.body.code], [400, 'invalid_cursor'], query)
    }
    assert.equal((await get(meeting, `?q=Satz&cursor=${body.next_cursor}`)).status, 200)
    const other = await newMeeting()
    await stored(other, { segments: [said('Satz')] })
    assert.equal((await get(other, `?q=Satz&cursor=${body.next_cursor}`)).status, 400)
  })

  test('is 304 for the version that is known', async () => {
    const { headers } = await get(meeting)
    const again = await get(meeting, '', { headers: { 'if-none-match': headers.get('etag') as string } })
    assert.equal(again.status, 304)
  })

  test('answers the whole of it as WebVTT, as SubRip and as text', async () => {
    const other = await newMeeting()
    await stored(other, {
      speakers: [{ key: 'a', name: 'Ana Ruiz' }, { key: 'b' }],
      segments: [
        said('Hi <all>', 0, 1500, 'a'),
        said('And you?', 1500, 1600, 'a'),
        said('Ho', 61_000, 62_000, 'b'),
        said('(Music)', 62_000, 62_500),
      ],
    })
    assert.equal(
      await read(other, VTT),
      'WEBVTT\n\n00:00:00.000 --> 00:00:01.500\n<v Ana Ruiz>Hi &lt;all&gt;</v>\n\n00:00:01.500 --> 00:00:01.600\n<v Ana Ruiz>And you?</v>\n\n00:01:01.000 --> 00:01:02.000\n<v b>Ho</v>\n\n00:01:02.000 --> 00:01:02.500\n(Music)\n',
    )
    assert.equal(
      await read(other, SRT),
      '1\n00:00:00,000 --> 00:00:01,500\nAna Ruiz: Hi <all>\n\n2\n00:00:01,500 --> 00:00:01,600\nAna Ruiz: And you?\n\n3\n00:01:01,000 --> 00:01:02,000\nb: Ho\n\n4\n00:01:02,000 --> 00:01:02,500\n(Music)\n',
    )
    assert.equal(await read(other, 'text/plain'), 'Ana Ruiz: Hi <all>\nAnd you?\n\nb: Ho\n\n(Music)\n')
    assert.equal((await read(meeting, VTT)).split(' --> ').length, 121)
    assert.equal((await read(meeting, SRT)).split(' --> ').length, 121)
    assert.equal((await read(meeting, 'text/plain')).split('\n\n').length, 120)
  })

  test('gives a file that gives the same when it is put again', async () => {
    const other = await newMeeting({ participants: [{ email: 'x@x.example', name: 'Ben' }] })
    const body = await storedFile(other, VTT, 'WEBVTT\n\n00:00.000 --> 00:01.000\n<v Ben>One\n<v Ann>Two')
    const again = await newMeeting({ participants: [{ email: 'x@x.example', name: 'Ben' }] })
    const copy = await storedFile(again, VTT, await read(other, VTT))
    assert.deepEqual([copy.speakers, copy.segments], [body.speakers, body.segments])
    assert.deepEqual(told(await storedFile(again, SRT, await read(other, SRT))), ['Ben: One', '-: Ann: Two'])
  })

  test('takes no parameters with the other forms, and has no other ones', async () => {
    for (const query of ['?q=Satz', '?limit=5', '?cursor=x']) {
      const { status, text } = await send('GET', meeting, undefined, { accept: VTT, query })
      assert.deepEqual([status, JSON.parse(text).code], [400, 'invalid_query'], query)
    }
    assert.equal((await send('GET', meeting, undefined, { accept: 'text/html' })).status, 406)
  })

  test('is 404 without a transcript, without the meeting and for others, in every form', async () => {
    const { b } = server
    const bare = await newMeeting()
    for (const accept of ['application/json', VTT, SRT, 'text/plain']) {
      assert.equal((await send('GET', bare, undefined, { accept })).status, 404)
      assert.equal((await send('GET', UNKNOWN, undefined, { accept })).status, 404)
      assert.equal((await send('GET', meeting, undefined, { accept, token: b.token })).status, 404)
    }
  })
})

test('a deleted contact stays a speaker by name, with an event', async () => {
  const [gone, other] = [await newContact('Ruiz'), await newContact('Weber')]
  const meeting = await newMeeting()
  const { version } = await stored(meeting, {
    speakers: [
      { key: 'a', name: 'Ana', contact_id: gone },
      { key: 'b', name: 'Ben', contact_id: other },
    ],
    segments: [said('Hello.', 0, 1000, 'a'), said('Hi.', 1000, 2000, 'b')],
  })
  const seq = server.lastSeq()
  assert.equal((await server.call('DELETE', `/contacts/${gone}`)).status, 204)
  const { body } = await get(meeting)
  const linked = body.speakers.map(({ name, contact_id }: Given) => [name, contact_id])
  assert.deepEqual(linked, [
    ['Ana', null],
    ['Ben', other],
  ])
  assert.equal(body.version, version + 1)
  assert.deepEqual(
    server.events(seq).map(({ type }) => type),
    ['transcript.ready', 'contact.deleted'],
  )
})

describe('DELETE', () => {
  test('takes the transcript off its meeting, which tells it', async () => {
    const { a, lastSeq, events, store } = server
    const meeting = await newMeeting()
    await stored(meeting, { segments: [said('Hi')] })
    const seq = lastSeq()
    const wrong = await server.call('DELETE', `/meetings/${meeting}/transcript`, undefined, {
      headers: { 'if-match': '"2"' },
    })
    assert.equal(wrong.status, 412)
    assert.equal((await server.call('DELETE', `/meetings/${meeting}/transcript`)).status, 204)
    assert.deepEqual(
      events(seq).map(({ type, object, changed_fields }) => [type, object.has_transcript, changed_fields]),
      [['meeting.updated', false, ['has_transcript']]],
    )
    assert.equal((await get(meeting)).status, 404)
    assert.equal((await server.call('DELETE', `/meetings/${meeting}/transcript`)).status, 404)
    const left =
      'SELECT count(*) FROM transcript_segments WHERE org_id = ? AND transcript_id NOT IN (SELECT id FROM transcripts)'
    assert.equal(store.db.prepare(left).pluck().get(a.org), 0)
    assert.equal((await stored(meeting, { segments: [said('Hi')] })).version, 1, 'another one is new')
  })

  test('of the meeting takes its transcript along', async () => {
    const meeting = await newMeeting()
    const contact = await newContact('Ruiz')
    const { id } = await stored(meeting, {
      speakers: [
        { key: 'a', contact_id: contact },
        { key: 'b', member_id: server.a.owner },
      ],
      segments: [said('Hi', 0, 1, 'a')],
    })
    assert.equal((await server.call('DELETE', `/meetings/${meeting}`)).status, 204)
    for (const table of ['transcript_segments', 'transcript_contacts', 'transcript_members']) {
      const count = `SELECT count(*) FROM ${table} WHERE org_id = ? AND transcript_id = ?`
      assert.equal(server.store.db.prepare(count).pluck().get(server.a.org, id), 0, table)
    }
  })
})

describe('full text search', () => {
  test('finds a meeting by what was said, as long as that stands in its transcript', async () => {
    const meeting = await newMeeting({ title: 'Kickoff' })
    await stored(meeting, { segments: [said('The zebra crosses'), said('a Straße')] })
    assert.deepEqual(await found('zebra strasse kick'), [meeting])
    await stored(meeting, { segments: [said('An okapi')] })
    assert.deepEqual([await found('zebra'), await found('okap')], [[], [meeting]])
    await server.call('DELETE', `/meetings/${meeting}/transcript`)
    assert.deepEqual([await found('okapi'), (await found('kickoff')).includes(meeting)], [[], true])
  })

  test('goes by the first 20,000 different words', async () => {
    const meeting = await newMeeting()
    const words = Array.from({ length: 20_001 }, (_, at) => `lemur${at}`)
    const segments = Array.from({ length: 21 }, (_, at) => said(words.slice(at * 1000, at * 1000 + 1000).join(' '), at))
    await stored(meeting, { segments })
    assert.deepEqual([await found('lemur19999'), await found('lemur20000')], [[meeting], []])
    assert.equal((await get(meeting, '?q=lemur20000')).body.segments.length, 1)
  })
})

describe('speakers', () => {
  const withSpeakers = async () => {
    const [one, other] = [await newContact('One'), await newContact('Other')]
    const meeting = await newMeeting()
    const transcript = await stored(meeting, {
      speakers: [
        { key: 'a', name: 'One', contact_id: one },
        { key: 'b', contact_id: other },
        { key: 'c', contact_id: one },
        { key: 'd', member_id: server.a.owner },
      ],
      segments: [said('Hi', 0, 1, 'a')],
    })
    return { one, other, meeting, transcript }
  }

  test('stay by name when their contact goes, with a version and an event', async () => {
    const { one, other, meeting, transcript } = await withSpeakers()
    const clear = () =>
      server.store.write(() => {
        transcriptStore(server.deps).clearContact(who(), one)
        return null
      })
    const seq = server.lastSeq()
    server.advance(1000)
    await clear()
    const { body } = await get(meeting)
    assert.deepEqual(
      body.speakers.map(({ key, name, contact_id }: Given) => [key, name, contact_id]),
      [
        ['a', 'One', null],
        ['b', null, other],
        ['c', null, null],
        ['d', null, null],
      ],
    )
    assert.deepEqual([body.version, body.updated_at], [2, new Date(server.now()).toISOString()])
    const [event, ...more] = server.events(seq)
    assert.deepEqual(more, [])
    assert.deepEqual([event?.type, event?.changed_fields], ['transcript.ready', ['speakers']])
    assert.deepEqual(event?.previous, { speakers: transcript.speakers })
    await clear()
    assert.equal(server.lastSeq(), seq + 1, 'it is in no transcript any more')
  })

  test('hold their contact and their member: neither goes from under them', async () => {
    const { one, meeting } = await withSpeakers()
    const { db } = server.store
    const drop = (table: string, id: string) =>
      db.prepare(`DELETE FROM ${table} WHERE org_id = ? AND id = ?`).run(server.a.org, id)
    const count = (table: string) =>
      db.prepare(`SELECT count(*) FROM ${table} WHERE org_id = ?`).pluck().get(server.a.org)
    const member = db.prepare('SELECT count(*) FROM transcript_members WHERE org_id = ? AND member_id = ?').pluck()
    assert.throws(() => drop('contacts', one), { code: 'SQLITE_CONSTRAINT_FOREIGNKEY' })
    assert.notEqual(member.get(server.a.org, server.a.owner), 0)
    const before = [count('transcript_contacts') as number, count('transcript_members') as number]
    await stored(meeting, { segments: [said('Hi')] })
    assert.deepEqual([count('transcript_contacts'), count('transcript_members')], [before[0]! - 2, before[1]! - 1])
    drop('contacts', one)
  })

  test('follow their contact into another one, and back', async () => {
    const { one, other, transcript } = await withSpeakers()
    const { speakers } = transcript
    const swapped = swapContact(speakers, one, other)
    const ids = (all: { contact_id: string | null }[]) => all.map(({ contact_id }) => contact_id)
    assert.deepEqual(ids(swapped), [other, other, other, null])
    assert.deepEqual(unswapContact(swapped, speakers, one, other), speakers)
    const changed = swapped.map((each) => (each.key === 'a' ? { ...each, contact_id: null } : each))
    assert.deepEqual(ids(unswapContact(changed, speakers, one, other)), [null, other, one, null])

    const store = transcriptStore(server.deps)
    await server.store.write(() => {
      const before = exported.present(store.byId(who(), transcript.id))
      return store.relink(who(), before, { speakers: swapped }).version
    })
    const count = 'SELECT count(*) FROM transcript_contacts WHERE org_id = ? AND contact_id = ?'
    assert.equal(server.store.db.prepare(count).pluck().get(server.a.org, one), 0)
  })
})

test('what an export has of a transcript brings it back, and its meeting is found by it', async () => {
  const { a, store, deps, lastSeq } = server
  const { db } = store
  const contact = await newContact('Ruiz')
  const meeting = await newMeeting()
  const before = await stored(meeting, {
    speakers: [{ key: 'a', contact_id: contact }],
    segments: [said('A tapir', 0, 5, 'a'), said('"sleeps"', 5, 9)],
  })
  const rowsOf = (
    table: string,
    columns: { select: string; stored: { json: (row: unknown[]) => string } },
    key: string,
  ) =>
    (
      db
        .prepare(`SELECT ${columns.select} FROM ${table} WHERE org_id = ? AND ${key} = ?`)
        .raw()
        .all(a.org, before.id) as unknown[][]
    ).map((row) => JSON.parse(columns.stored.json(row)))
  const [row] = rowsOf('transcripts', exported, 'id')
  const segments = rowsOf('transcript_segments', exportedSegments, 'transcript_id')
  const [meetingRow] = [await getMeeting(meeting)]
  await server.call('DELETE', `/meetings/${meeting}`)
  const seq = lastSeq()
  const { names, values } = exportedSegments
  const insert = `INSERT INTO transcript_segments (org_id, ${names.join(', ')}) VALUES (${Array(names.length + 1).fill('?')})`
  await store.write(() => {
    meetingStore(deps).restore(a.org, meetingRow)
    transcriptStore(deps).restore(a.org, row)
    for (const each of segments) db.prepare(insert).run(a.org, ...values(each))
    return null
  })
  assert.deepEqual((await get(meeting)).body, before)
  assert.equal((await get(meeting, '?q=slee')).body.segments.length, 1)
  assert.deepEqual(await found('tapir'), [meeting])
  assert.equal(lastSeq(), seq)
})
