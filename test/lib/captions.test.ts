import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { type Captions, LAST_MS, type Segment } from '../../src/lib/captions/captions.ts'
import { writeText } from '../../src/lib/captions/plain.ts'
import { spokenBy } from '../../src/lib/captions/spoken-by.ts'
import { readSrt as readSrtFile, writeSrt } from '../../src/lib/captions/subrip.ts'
import { readVtt as readVttFile, writeVtt } from '../../src/lib/captions/webvtt.ts'
import { Problem } from '../../src/lib/problem.ts'
import { startCpuClock } from '../support/cpu-clock.ts'
import { examples } from '../support/seed.ts'

const said = (speaker: string | null, text: string, start_ms = 0, end_ms = 1000): Segment => ({
  speaker,
  start_ms,
  end_ms,
  text,
})
const named = (...names: string[]) => names.map((name) => ({ key: name, name }))

/** What a file says, as `speaker: text`. */
const told = ({ segments }: Captions) => segments.map(({ speaker, text }) => `${speaker ?? '-'}: ${text}`)
const timesOf = ({ segments }: Captions) => segments.map(({ start_ms, end_ms }) => [start_ms, end_ms])
const withoutNotes = ({ speakers, segments }: Captions): Captions => ({ speakers, segments })
const readVtt = (file: string) => withoutNotes(readVttFile(file))
const readSrt = (file: string) => withoutNotes(readSrtFile(file))
const vtt = (...blocks: string[]) => readVtt(['WEBVTT', ...blocks].join('\n\n'))
/** What is read of the text of one cue. */
const cue = (text: string) => told(vtt(`00:00.000 --> 00:01.000\n${text}`))
const srt = (...blocks: string[]) => readSrt(blocks.join('\n\n'))

/** The line that a refusal names, with what is wrong with it. */
function refusal(read: () => unknown): string {
  try {
    read()
  } catch (error) {
    assert.ok(error instanceof Problem, String(error))
    assert.deepEqual([error.status, error.code], [400, 'malformed_captions'])
    return error.message
  }
  return 'none'
}

describe('WebVTT', () => {
  test('has cues with a start, an end and a text', () => {
    const file = vtt('00:01.500 --> 00:04.000\nGood morning.', '01:00:04.000 --> 01:00:04.000\nLet us\nbegin.')
    assert.deepEqual(file, {
      speakers: [],
      segments: [said(null, 'Good morning.', 1500, 4000), said(null, 'Let us\nbegin.', 3_604_000, 3_604_000)],
    })
  })

  test('may say nothing', () => {
    for (const file of ['WEBVTT', 'WEBVTT\n', '\uFEFFWEBVTT\r\n\r\n', 'WEBVTT with a title\nKind: captions'])
      assert.deepEqual(readVtt(file), { speakers: [], segments: [] }, JSON.stringify(file))
  })

  test('ends its lines in each of three ways, and starts with a byte order mark or none', () => {
    const file =
      'WEBVTT - Weekly\nLanguage: en\n\n1\n00:00.000 --> 00:01.000\nOne\ntwo\n\nNOTE x\n\n00:01.000 --> 00:02.000\nThree'
    for (const end of ['\n', '\r\n', '\r'])
      for (const mark of ['', '\uFEFF'])
        assert.deepEqual(told(readVtt(mark + file.replaceAll('\n', end))), ['-: One\ntwo', '-: Three'])
  })

  test('has a header that goes on to an empty line, or to a cue without one', () => {
    assert.deepEqual(told(readVtt('WEBVTT\nX: y\n00:00.000 --> 00:01.000\nHi')), ['-: Hi'])
    assert.deepEqual(told(readVtt('WEBVTT\t\nX: y\n\n\n\n00:00.000 --> 00:01.000\nHi')), ['-: Hi'])
  })

  test('has notes, styles and regions, which say nothing', () => {
    const file = vtt(
      'STYLE\n::cue { color: peachpuff }',
      'REGION\nid:bill\nwidth:40%',
      'NOTE',
      'NOTE\nof several\nlines',
      '00:00.000 --> 00:01.000\nHi',
      'NOTE at the end',
    )
    assert.deepEqual(told(file), ['-: Hi'])
  })

  test('may name its cues, also with words that begin other blocks', () => {
    const file = vtt(
      '7\n00:00.000 --> 00:01.000\nHi',
      'NOTES-1/2\n00:01.000 --> 00:02.000\nHo',
      'STYLED\n00:02.000 --> 00:03.000\nHa',
    )
    assert.deepEqual(told(file), ['-: Hi', '-: Ho', '-: Ha'])
  })

  test('says behind the times where a cue is shown, which is left out', () => {
    const file = vtt(
      '00:00:00.000 --> 00:00:01.000 align:start position:0% line:-1\nHi',
      '00:01.000-->00:02.000\tregion:bill\nHo',
    )
    assert.deepEqual(
      [told(file), timesOf(file)],
      [
        ['-: Hi', '-: Ho'],
        [
          [0, 1000],
          [1000, 2000],
        ],
      ],
    )
  })

  test('has voices, with or without an end tag, with classes, and in several lines of a cue', () => {
    assert.deepEqual(cue('<v Ana>Hi'), ['Ana: Hi'])
    assert.deepEqual(cue('<v Ana>Hi</v>'), ['Ana: Hi'])
    assert.deepEqual(cue('<v.first.loud Ana Ruiz>Hi</v>'), ['Ana Ruiz: Hi'])
    assert.deepEqual(cue('<v\n Ana \t Ruiz >Hi</v>'), ['Ana Ruiz: Hi'])
    assert.deepEqual(cue('<v Ana>Hi</v> <v Ben>Ho</v>'), ['Ana: Hi', 'Ben: Ho'])
    assert.deepEqual(cue('<v Ana>Hi\n<v Ben>Ho'), ['Ana: Hi', 'Ben: Ho'])
    assert.deepEqual(cue('(Music) <v Ana>Hi</v> (Applause)'), ['-: (Music)', 'Ana: Hi', '-: (Applause)'])
    assert.deepEqual(cue('<v Ana>\nHi\n</v>'), ['Ana: Hi'])
    assert.deepEqual(cue('<v>Hi'), ['-: Hi'])
    assert.deepEqual(cue('<v.loud>Hi'), ['-: Hi'])
  })

  test('has one speaker for all cues of a voice, in the order in which they first speak', () => {
    const file = vtt(
      '00:00.000 --> 00:01.000\n<v Ben>1',
      '00:01.000 --> 00:02.000\n<v Ana>2',
      '00:02.000 --> 00:03.000\n<v Ben>3',
    )
    assert.deepEqual(file.speakers, named('Ben', 'Ana'))
    assert.deepEqual(told(file), ['Ben: 1', 'Ana: 2', 'Ben: 3'])
  })

  test('takes tags off the text, and times in it', () => {
    assert.deepEqual(cue('a<00:00:00.500><c.yellow> b</c><c> <i>c</i></c> <b>d</b> <u>e</u> <lang en-GB>f</lang>'), [
      '-: a b c d e f',
    ])
    assert.deepEqual(cue('<ruby>漢<rt>kan</rt>字<rt>ji</ruby>.'), ['-: 漢kan字ji.'])
    assert.deepEqual(cue('<v Ana><i>Hi</i> there</v>, she said'), ['Ana: Hi there', '-: , she said'])
    assert.deepEqual(cue('<v Ana><ruby>a<rt>b</ruby></v>c'), ['Ana: ab', '-: c'])
  })

  test('closes only the tag that was opened last', () => {
    assert.deepEqual(cue('<v Ana><i>Hi</v> there'), ['Ana: Hi there'])
    assert.deepEqual(cue('Hi</v> there</i>'), ['-: Hi there'])
  })

  test('keeps what is no tag', () => {
    for (const text of [
      '1 < 2 > 0',
      'I <3 you',
      'a <',
      '< b >',
      '<ana@example.com>',
      '<foo>x</foo>',
      '<vip>',
      '<>',
      '</>',
      '<00:>',
      'a > b',
    ])
      assert.deepEqual(cue(text), [`-: ${text}`])
  })

  test('reads character references, and keeps what is none', () => {
    assert.deepEqual(cue('&lt;b&gt; &amp;amp; &quot;x&apos; a&nbsp;b&lrm;c&rlm; &#233;&#xE9;&#x1F600;'), [
      '-: <b> &amp; "x\' a\u00a0b\u200ec\u200f éé😀',
    ])
    for (const text of ['a & b', '&unknown;', '&constructor;', '&#0;', '&#xD800;', '&#x110000;', '&#;', 'AT&T;'])
      assert.deepEqual(cue(text), [`-: ${text}`])
    assert.deepEqual(cue('<v Ana &amp; Co &lt;HQ&gt;>Hi'), ['Ana & Co <HQ>: Hi'])
  })

  test('has cues without a text, which say nothing', () => {
    assert.deepEqual(
      told(
        vtt('00:00.000 --> 00:01.000\n', '00:01.000 --> 00:02.000\n \n<v Ana></v>', '00:02.000 --> 00:03.000\n&nbsp;'),
      ),
      [],
    )
  })

  test('keeps its order, also where cues overlap', () => {
    const file = vtt('00:05.000 --> 00:09.000\nb', '00:01.000 --> 00:08.000\na')
    assert.deepEqual(timesOf(file), [
      [5000, 9000],
      [1000, 8000],
    ])
  })

  const mended: [what: string, file: string, segments: [number, number, string][], notes: string[]][] = [
    ['no header', '00:00.000 --> 00:01.000\nHi', [[0, 1000, 'Hi']], ['Line 1: the file does not begin with WEBVTT.']],
    ['a header in lower case', 'webvtt\n\n00:00.000 --> 00:01.000\nHi', [[0, 1000, 'Hi']], []],
    [
      'a line before the header',
      '\nWEBVTT\n\n00:00.000 --> 00:01.000\nHi',
      [[0, 1000, 'Hi']],
      ['Line 1: the file does not begin with WEBVTT.'],
    ],
    [
      'a text without times after a cue',
      'WEBVTT\n\n00:00.000 --> 00:01.000\nHi\n\nHo',
      [[0, 1000, 'Hi\nHo']],
      ['Line 6: the text continues after an empty line.'],
    ],
    [
      'a text without times before all cues',
      'WEBVTT\n\nHo\nHe\n\n00:00.000 --> 00:01.000\nHi',
      [[0, 1000, 'Hi']],
      ['Line 3: the text has no times and was left out.'],
    ],
    [
      'an end before the start',
      'WEBVTT\n\n00:01.000 --> 00:00.999\nHi',
      [[1000, 1000, 'Hi']],
      ['Line 3: the cue ends before it starts; now it ends when it starts.'],
    ],
    [
      'a comma',
      'WEBVTT\n\n1\n00:00,000 --> 00:01,000\nHi',
      [[0, 1000, 'Hi']],
      ['Line 4: a comma stands for the point.'],
    ],
    [
      'fractions of one and two digits',
      'WEBVTT\n\n00:00.50 --> 00:01.5\nHi',
      [[500, 1500, 'Hi']],
      ['Line 3: the fraction of a second has not three digits.'],
    ],
    ['one digit of seconds', 'WEBVTT\n\n0:0.000 --> 0:0:1.000\nHi', [[0, 1000, 'Hi']], []],
    ['no minutes', 'WEBVTT\n\n00.000 --> 01.000\nHi', [[0, 1000, 'Hi']], []],
    [
      'no end',
      'WEBVTT\n\n00:00.000 --> 00:01.000\nHi\n\n00:02.000 -->\nHo',
      [
        [0, 1000, 'Hi'],
        [1000, 1000, 'Ho'],
      ],
      ['Line 6: the times cannot be read, so the cue is where the last one ends.'],
    ],
    ['a setting without a space', 'WEBVTT\n\n00:00.000 --> 00:01.000align:start\nHi', [[0, 1000, 'Hi']], []],
    [
      '60 seconds',
      'WEBVTT\n\n00:60.000 --> 01:01.000\nHi',
      [[60_000, 61_000, 'Hi']],
      ['Line 3: a time has more than 59 minutes or seconds.'],
    ],
    [
      '100 hours',
      'WEBVTT\n\n00:00.000 --> 100:00:00.000\nHi',
      [[0, 0, 'Hi']],
      ['Line 3: the times cannot be read, so the cue is where the last one ends.'],
    ],
    ['an arrow in a text', 'WEBVTT\n\n00:00.000 --> 00:01.000\nHi\na --> b', [[0, 1000, 'Hi\na --> b']], []],
    [
      'no empty line between cues',
      'WEBVTT\n\n00:00.000 --> 00:01.000\nHi\n00:01.000 --> 00:02.000\nHo\n3\n00:02.000 --> 00:03.000\nHe',
      [
        [0, 1000, 'Hi'],
        [1000, 2000, 'Ho'],
        [2000, 3000, 'He'],
      ],
      [
        'Line 5: the cue begins without an empty line above it.',
        'Line 8: the cue begins without an empty line above it.',
      ],
    ],
    ['a cue in a note', 'WEBVTT\n\nNOTE\n00:00.000 --> 00:01.000\nHi', [[0, 1000, 'Hi']], []],
    [
      'an empty cue before another',
      'WEBVTT\n\n00:00.000 --> 00:01.000\n\n00:01.000 --> 00:02.000\nHo',
      [[1000, 2000, 'Ho']],
      [],
    ],
  ]
  for (const [what, file, segments, notes] of mended)
    test(`is read with ${what}`, () => {
      const read = readVttFile(file)
      assert.deepEqual(
        read.segments.map(({ start_ms, end_ms, text }) => [start_ms, end_ms, text]),
        segments,
      )
      assert.deepEqual(read.mended, notes)
    })

  test('is refused if no text would be left', () => {
    for (const [file, line] of [
      ['WEBVTT\n\nHello', 3],
      ['WEBVTT\n\n\nhello --> x\n', 4],
      ['Hello\nthere', 1],
    ] as const)
      assert.match(
        refusal(() => readVtt(file)),
        new RegExp(`^Line ${line} of the file must have times such as 00:01:02\\.345`),
      )
  })

  test('is written with voices, and without what it cannot hold', () => {
    const speakers = [
      { key: 'a', name: 'Ana  &\n Co' },
      { key: 'b', name: null },
    ]
    const segments = [said('a', 'x < y'), said('b', 'Hi', 61_001, LAST_MS), said(null, ' a\n\nb --> c ')]
    assert.equal(
      writeVtt({ speakers, segments }),
      'WEBVTT\n\n00:00:00.000 --> 00:00:01.000\n<v Ana &amp; Co>x &lt; y</v>\n\n00:01:01.001 --> 99:59:59.999\n<v b>Hi</v>\n\n00:00:00.000 --> 00:00:01.000\n&#32;a\n&#10;b --&gt; c&#32;\n',
    )
    assert.equal(writeVtt({ speakers: [], segments: [] }), 'WEBVTT\n')
  })

  test('is written without an arrow, also where a name ends as one begins', () => {
    for (const name of ['--', "';--", 'a---', '-', 'a- -', '-->', '&#45;-']) {
      const captions = { speakers: named(name), segments: [said(name, '-- > x --')] }
      assert.deepEqual(readVtt(writeVtt(captions)), captions)
      assert.equal(writeVtt(captions).split('-->').length, 2)
    }
  })
})

describe('SubRip', () => {
  test('has numbered blocks with times and a text', () => {
    const file = srt(
      '1\n00:00:01,500 --> 00:00:04,000\nGood morning.',
      '2\n01:00:04,000 --> 01:00:05,000\nLet us\nbegin.\n',
    )
    assert.deepEqual(file, {
      speakers: [],
      segments: [said(null, 'Good morning.', 1500, 4000), said(null, 'Let us\nbegin.', 3_604_000, 3_605_000)],
    })
    assert.deepEqual(readSrt('').segments, [])
  })

  test('ends its lines in each of three ways, and starts with a byte order mark or none', () => {
    const file = '1\n00:00:00,000 --> 00:00:01,000\nOne\ntwo\n\n2\n00:00:01,000 --> 00:00:02,000\nThree\n\n\n'
    for (const end of ['\n', '\r\n', '\r'])
      for (const mark of ['', '\uFEFF', '\uFEFF\n \n'])
        assert.deepEqual(told(readSrt(mark + file.replaceAll('\n', end))), ['-: One\ntwo', '-: Three'])
  })

  test('may have wrong numbers or none', () => {
    const file = srt(
      '7\n00:00:00,000 --> 00:00:01,000\na',
      '00:00:01,000 --> 00:00:02,000\n2026',
      ' 7 \n00:00:02,000 --> 00:00:03,000\nb',
    )
    assert.deepEqual(told(file), ['-: a', '-: 2026', '-: b'])
  })

  test('writes its times with a comma or a dot, without hours, and with one digit', () => {
    const file = srt(
      '1\n0:0:1.500 --> 0:00:02,000\na',
      '2\n00:03.000 --> 1:04,000\nb',
      '3\n 1:02:03,004-->01:02:03,004  X1:40 X2:600 Y1:20\nc',
    )
    assert.deepEqual(timesOf(file), [
      [1500, 2000],
      [3000, 64_000],
      [3_723_004, 3_723_004],
    ])
  })

  test('takes tags off the text', () => {
    const text = '{\\an8}<i>One</i> <B>two</B> <font color="#ff0000">three</FONT> <u>{\\i1}four{\\i0}</u> <s>five</s>'
    assert.deepEqual(told(srt(`1\n00:00:00,000 --> 00:00:01,000\n${text}`)), ['-: One two three four five'])
  })

  test('keeps what is no tag, and who speaks', () => {
    for (const text of ['1 < 2', '<ana@example.com>', '{x}', '&amp;', 'Ana: Hi', '- Hi\n- Ho', '[Music]', '<v Ana>Hi'])
      assert.deepEqual(told(srt(`1\n00:00:00,000 --> 00:00:01,000\n${text}`)), [`-: ${text}`])
  })

  test('has blocks without a text, which say nothing', () => {
    assert.deepEqual(
      told(
        srt(
          '1\n00:00:00,000 --> 00:00:01,000',
          '2\n00:00:00,000 --> 00:00:01,000\n \n',
          '3\n00:00:00,000 --> 00:00:01,000\n<i></i>',
        ),
      ),
      [],
    )
  })

  const mended: [what: string, file: string, segments: [number, number, string][], notes: string[]][] = [
    [
      'two numbers',
      '1\n2\n00:00:00,000 --> 00:00:01,000\nHi',
      [[0, 1000, 'Hi']],
      ['Line 1: the text has no times and was left out.'],
    ],
    [
      'an empty line in a text',
      '1\n00:00:00,000 --> 00:00:01,000\nHi\n\nthere\n\n2\n00:00:01,000 --> 00:00:02,000\nHo',
      [
        [0, 1000, 'Hi\nthere'],
        [1000, 2000, 'Ho'],
      ],
      ['Line 5: the text continues after an empty line.'],
    ],
    [
      'an empty line above a text',
      '1\n00:00:00,000 --> 00:00:01,000\n\nHi',
      [[0, 1000, 'Hi']],
      ['Line 4: the text continues after an empty line.'],
    ],
    [
      'no empty line between blocks',
      '1\n00:00:00,000 --> 00:00:01,000\nHi\n2\n00:00:01,000 --> 00:00:02,000\nHo',
      [
        [0, 1000, 'Hi'],
        [1000, 2000, 'Ho'],
      ],
      ['Line 5: the cue begins without an empty line above it.'],
    ],
    [
      'an end before the start',
      '1\n00:00:01,000 --> 00:00:00,999\nHi',
      [[1000, 1000, 'Hi']],
      ['Line 2: the cue ends before it starts; now it ends when it starts.'],
    ],
    ['one arrow too short', '1\n00:00:00,000 -> 00:00:01,000\nHi', [[0, 1000, 'Hi']], []],
    [
      'two digits of milliseconds',
      '1\n00:00:01,50 --> 00:00:02,00\nHi',
      [[1500, 2000, 'Hi']],
      ['Line 2: the fraction of a second has not three digits.'],
    ],
    [
      '61 seconds',
      '1\n00:00:00,000 --> 00:00:61,000\nHi',
      [[0, 61_000, 'Hi']],
      ['Line 2: a time has more than 59 minutes or seconds.'],
    ],
  ]
  for (const [what, file, segments, notes] of mended)
    test(`is read with ${what}`, () => {
      const read = readSrtFile(file)
      assert.deepEqual(
        read.segments.map(({ start_ms, end_ms, text }) => [start_ms, end_ms, text]),
        segments,
      )
      assert.deepEqual(read.mended, notes)
    })

  test('is refused if no text would be left', () => {
    for (const file of ['Hello', '1\nHi', '1\n'])
      assert.match(
        refusal(() => readSrt(file)),
        /^Line 1 of the file must have times such as 00:01:02,345/,
      )
  })

  test('lists at most 20 of what was mended, and how many more there were', () => {
    const { mended } = readSrtFile('00:00:01,5 --> 00:00:02,5\nHi\n\n'.repeat(30))
    assert.deepEqual([mended.length, mended.at(-1)], [21, 'And 10 more.'])
  })

  test('is written with names in front of the text, and without what it cannot hold', () => {
    const speakers = [
      { key: 'a', name: 'Ana\nRuiz' },
      { key: 'b', name: null },
    ]
    const segments = [
      said('a', 'Hi'),
      said('b', 'Ho\n\r\n \nhi', 61_001, LAST_MS),
      said(null, '\n00:00:00,000 --> 00:00:01,000\n'),
    ]
    assert.equal(
      writeSrt({ speakers, segments }),
      '1\n00:00:00,000 --> 00:00:01,000\nAna Ruiz: Hi\n\n2\n00:01:01,001 --> 99:59:59,999\nb: Ho\nhi\n\n3\n00:00:00,000 --> 00:00:01,000\n00:00:00,000 -> 00:00:01,000\n',
    )
    assert.equal(writeSrt({ speakers: [], segments: [] }), '')
  })
})

describe('plain text', () => {
  test('names a speaker where the turn begins, with an empty line between turns and no times', () => {
    const speakers = [
      { key: 'a', name: 'Ana' },
      { key: 'b', name: null },
    ]
    const segments = [
      said('a', 'Hi. '),
      said('a', 'How are\n\nyou?'),
      said('b', 'Fine.'),
      said(null, '(Music)'),
      said('a', 'Good.'),
    ]
    assert.equal(writeText({ speakers, segments }), 'Ana: Hi.\nHow are\nyou?\n\nb: Fine.\n\n(Music)\n\nAna: Good.\n')
    assert.equal(writeText({ speakers: [], segments: [] }), '')
  })
})

describe('a name in front of a text', () => {
  const spoken = (text: string, names: string[], speaker: string | null = null) =>
    told(spokenBy({ speakers: [], segments: [said(speaker, text)] }, names))

  test('is the speaker where it is one of those who were there, without regard to case and accents', () => {
    assert.deepEqual(spoken('Ana Ruiz: Hi: you', ['Ana Ruiz']), ['Ana Ruiz: Hi: you'])
    assert.deepEqual(spoken(' jose :Hi', ['José']), ['José: Hi'])
    assert.deepEqual(spoken('Note: Hi', ['Ana']), ['-: Note: Hi'])
    assert.deepEqual(spoken('Ana Hi', ['Ana']), ['-: Ana Hi'])
    assert.deepEqual(spoken(': Hi', ['', ' ']), ['-: : Hi'])
  })

  test('is looked for in each line, which go on to the next name', () => {
    const text = 'Hello\nAna: One\ntwo\nBen:\nThree\nNote: four\nAna:'
    assert.deepEqual(spoken(text, ['Ana', 'Ben']), ['-: Hello', 'Ana: One\ntwo', 'Ben: Three\nNote: four'])
  })

  test('stays where there is a speaker already', () => {
    assert.deepEqual(spoken('Ana: Hi', ['Ana'], 'Ben'), ['Ben: Ana: Hi'])
  })

  test('makes the speakers', () => {
    const segments = [said(null, 'Ben: 1'), said(null, 'Ana: 2'), said(null, '3')]
    assert.deepEqual(spokenBy({ speakers: [], segments }, ['Ana', 'Ben']), {
      speakers: named('Ben', 'Ana'),
      segments: [said('Ben', '1'), said('Ana', '2'), said(null, '3')],
    })
  })
})

describe('what other programs export', () => {
  test('Zoom: names in front of the text', () => {
    const file = [
      'WEBVTT\r\n',
      '1\r\n00:00:02.490 --> 00:00:05.130\r\nAna Ruiz: Good morning, can you hear me?\r\n',
      '2\r\n00:00:05.130 --> 00:00:09.000\r\nBen Okafor: Loud and clear: go ahead.\r\n',
      '3\r\n00:00:09.000 --> 00:00:11.250\r\nGuest 3: One question.\r\n\r\n',
    ].join('\r\n')
    assert.deepEqual(told(spokenBy(readVtt(file), ['Ana Ruiz', 'Ben Okafor'])), [
      'Ana Ruiz: Good morning, can you hear me?',
      'Ben Okafor: Loud and clear: go ahead.',
      '-: Guest 3: One question.',
    ])
  })

  test('Teams: voices with an end tag, names of cues, notes', () => {
    const file = [
      '\uFEFFWEBVTT',
      'NOTE duration:"00:31:07.1200000"',
      'NOTE language:en-us',
      'NOTE Confidence: 0.92',
      '6f1d1bd4-2a37-4a3c/14-0\n00:00:03.480 --> 00:00:06.120\n<v Ana Ruiz>Shall we start\nwith the numbers?</v>',
      '6f1d1bd4-2a37-4a3c/14-1\n00:00:05.900 --> 00:00:06.400\n<v Okafor, Ben (Northwind &amp; Co)>Yes.</v>',
    ].join('\n\n')
    const captions = readVtt(file)
    assert.deepEqual(told(captions), [
      'Ana Ruiz: Shall we start\nwith the numbers?',
      'Okafor, Ben (Northwind & Co): Yes.',
    ])
    assert.deepEqual(timesOf(captions), [
      [3480, 6120],
      [5900, 6400],
    ])
  })

  test('Google Meet: captions of a recording, without names', () => {
    const file =
      '1\n00:00:00,000 --> 00:00:02,480\nOkay, so\n\n2\n00:00:02,480 --> 00:00:06,160\nlet us look at the plan\nfor the next quarter.\n\n'
    assert.deepEqual(told(readSrt(file)), ['-: Okay, so', '-: let us look at the plan\nfor the next quarter.'])
  })

  test('YouTube: times inside of the text, lines of a single space, settings', () => {
    const file = [
      'WEBVTT\nKind: captions\nLanguage: en',
      '00:00:00.160 --> 00:00:02.310 align:start position:0%\n \nhello<00:00:00.480><c> and</c><00:00:00.640><c> welcome</c>',
      '00:00:02.310 --> 00:00:02.320 align:start position:0%\nhello and welcome\n ',
      '00:00:02.320 --> 00:00:04.000 align:start position:0%\nhello and welcome\nback<00:00:02.800><c> everyone</c>\n',
    ].join('\n\n')
    assert.deepEqual(told(readVtt(file)), [
      '-: hello and welcome',
      '-: hello and welcome',
      '-: hello and welcome\nback everyone',
    ])
  })

  test('Otter: blocks that begin with a name only where the turn does', () => {
    const file =
      '1\r\n00:00:00,300 --> 00:00:04,050\r\nAna Ruiz: Thank you all for coming. Today\r\n\r\n2\r\n00:00:04,050 --> 00:00:07,800\r\nwe decide on two things.\r\n\r\n3\r\n00:00:08,010 --> 00:00:09,000\r\nUnknown Speaker: Which?\r\n'
    assert.deepEqual(told(spokenBy(readSrt(file), ['Ana Ruiz'])), [
      'Ana Ruiz: Thank you all for coming. Today',
      '-: we decide on two things.',
      '-: Unknown Speaker: Which?',
    ])
  })
})

describe('there and back', () => {
  const times = fc
    .tuple(fc.nat(LAST_MS), fc.nat(LAST_MS))
    .map(([one, other]) => [Math.min(one, other), Math.max(one, other)] as const)
  const isSaid = (text: string) => text.trim() !== ''
  const pieces = fc.constantFrom(
    'a',
    'B',
    ' ',
    '\n',
    '\r',
    '\t',
    '&',
    '<',
    '>',
    '-->',
    '--',
    '&amp;',
    '<v x>',
    '</v>',
    '<i>',
    ':',
    '- ',
    '1',
    'é',
    '😀',
    '\u00a0',
    '\u2028',
    '\f',
    'WEBVTT',
    'NOTE',
    '00:00.000',
    '{\\an8}',
  )
  const text = fc.oneof(
    fc.string({ unit: 'grapheme', minLength: 1 }).filter(isSaid),
    fc
      .array(pieces, { minLength: 1, maxLength: 12 })
      .map((all) => all.join(''))
      .filter(isSaid),
  )
  const name = text.map((each) => each.replace(/\s+/g, ' ').trim())

  /** Segments of speakers who all speak, in the order in which they first do; in files the name is the key. */
  const captions = (names: fc.Arbitrary<string>, texts: fc.Arbitrary<string>): fc.Arbitrary<Captions> =>
    fc.array(fc.tuple(fc.option(names), times, texts), { maxLength: 8 }).map((all) => {
      const segments = all.map(([speaker, [start, end], each]) => said(speaker, each, start, end))
      return { speakers: named(...new Set(segments.flatMap(({ speaker }) => speaker ?? []))), segments }
    })

  test('WebVTT says all of it, to the last character', () => {
    fc.assert(
      fc.property(captions(name, text), (given) =>
        assert.deepEqual(readVttFile(writeVtt(given)), { ...given, mended: [] }),
      ),
      { numRuns: examples(300) },
    )
  })

  test('WebVTT ends its lines as it likes', () => {
    fc.assert(
      fc.property(captions(name, text), fc.constantFrom('\r\n', '\r'), (given, end) =>
        assert.deepEqual(readVtt(writeVtt(given).replaceAll('\n', end)), given),
      ),
      { numRuns: examples(100) },
    )
  })

  /** Text of one or more lines without tags, arrows and empty lines. */
  const plainOf = (characters: string) =>
    fc
      .array(
        fc
          .string({ unit: fc.constantFrom(...characters), minLength: 1 })
          .map((line) => line.trim())
          .filter(Boolean),
        { minLength: 1, maxLength: 3 },
      )
      .map((lines) => lines.join('\n'))
  const plain = plainOf('aB é.,:;-&1😀')

  test('SubRip says when and what, with names in front', () => {
    fc.assert(
      fc.property(
        captions(
          plain.map((each) => each.replace(/\s+/g, ' ')),
          plain,
        ),
        (given) => {
          const segments = given.segments.map((each) => ({
            ...each,
            speaker: null,
            text: each.speaker === null ? each.text : `${each.speaker}: ${each.text}`,
          }))
          assert.deepEqual(readSrtFile(writeSrt(given)), { speakers: [], segments, mended: [] })
        },
      ),
      { numRuns: examples(300) },
    )
  })

  test('SubRip says who, too, where the names are those of people who were there', () => {
    const names = fc.constantFrom('Ana Ruiz', 'Ben', 'Søren', '李雷')
    fc.assert(
      fc.property(captions(names, plainOf('aB é.,;-&1😀')), (given) =>
        assert.deepEqual(spokenBy(readSrt(writeSrt(given)), ['Ben', 'Ana Ruiz', '李雷', 'Søren']), given),
      ),
      { numRuns: examples(150) },
    )
  })

  test('whatever the file, it is read or refused with 400', () => {
    const lines = fc.constantFrom(
      'WEBVTT',
      '',
      ' ',
      '1',
      'NOTE x',
      'STYLE',
      '00:00.000 --> 00:01.000',
      '00:00:00,000 --> 00:00:01,000',
      '00:09.000 --> 00:01.000',
      'Hi',
      '<v Ana>Hi',
      '-->',
      '\uFEFF',
    )
    fc.assert(
      fc.property(fc.array(lines), fc.boolean(), (all, hasHeader) => {
        for (const read of [readVtt, readSrt]) {
          const message = refusal(() => read((hasHeader ? 'WEBVTT\n\n' : '') + all.join('\n')))
          assert.match(message, /^(none$|Line \d+ of the file )/)
        }
      }),
      { numRuns: examples(300) },
    )
  })
})

describe('a hostile file', () => {
  const MIB = 1_048_576
  const timed = 'WEBVTT\n\n00:00.000 --> 00:01.000\n'
  const srtTimed = '1\n00:00:00,000 --> 00:00:01,000\n'
  const files: [string, string][] = [
    ['of open tags', timed + '<v a>'.repeat(MIB / 2)],
    ['of tags that nothing closes', `${timed}${'<i>'.repeat(MIB / 2)}${'<v a></v>'.repeat(MIB / 8)}`],
    ['of angle brackets', timed + '<'.repeat(8 * MIB)],
    ['of tags without an end', timed + '<v '.repeat(2 * MIB)],
    ['of white space', `${timed}a${' '.repeat(8 * MIB)}b`],
    ['of references without an end', timed + '&#1'.repeat(2 * MIB)],
    ['of white space in times', `WEBVTT\n\n00:00.000${' '.repeat(8 * MIB)}->`],
    ['of digits in times', `WEBVTT\n\n${'1'.repeat(8 * MIB)}-->`],
    ['of fonts', srtTimed + '<font '.repeat(MIB)],
    ['of braces', srtTimed + '{\\'.repeat(4 * MIB)],
    ['of white space in a SubRip file', `${srtTimed}a${' '.repeat(8 * MIB)}b`],
    ['of white space in times of SubRip', `1\n${' '.repeat(8 * MIB)}x`],
    ['of empty lines', 'WEBVTT' + '\n'.repeat(8 * MIB)],
  ]
  for (const [what, file] of files) {
    test(`${what} takes no more than a moment`, () => {
      const spent = startCpuClock()
      refusal(() => spokenBy(readVtt(file), ['Ana']))
      refusal(() => writeSrt(spokenBy(readSrt(file), ['Ana'])))
      const text = file.slice(-65_536)
      const captions = { speakers: [], segments: [said(null, text)] }
      for (const write of [writeVtt, writeSrt, writeText]) write(captions)
      const took = spent()
      assert.ok(took < 5000, `${took} ms`)
    })
  }
})
