import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { type Typed, typedNames } from '../../../src/lib/written/people/name-fields.ts'
import { type NameContext, readName, type WrittenName } from '../../../src/lib/written/people/names.ts'

// What people put into the name of a mail, and into a cell.

const PARTS = ['prefix', 'given', 'family', 'suffix', 'nickname', 'company', 'rest'] as const
const shown = (name: WrittenName | null): string =>
  name === null ? '-' : PARTS.flatMap((part) => (name[part] === undefined ? [] : [`${part}=${name[part]}`])).join(' ')

/** What is written, what it means, and in which language. */
const NAMES: Record<string, [written: string, meant: string, context?: NameContext][]> = {
  'in order': [
    ['Eva Ruiz', 'given=Eva family=Ruiz'],
    ['Eva', 'given=Eva'],
    ['  Eva\u00a0 Ruiz\u200b ', 'given=Eva family=Ruiz'],
    ['"Eva Ruiz"', 'given=Eva family=Ruiz'],
    ["'Eva Ruiz'", 'given=Eva family=Ruiz'],
    ['Mary Ann Miller', 'given=Mary Ann family=Miller'],
    ['K. M. Patel', 'given=K. M. family=Patel'],
    ['EVA RUIZ', 'given=EVA family=RUIZ'],
    ['eva maria ruiz', 'given=eva maria family=ruiz'],
    ['AJ Smith', 'given=AJ family=Smith'],
  ],
  'with the surname first': [
    ['Ruiz, Eva', 'given=Eva family=Ruiz'],
    ['Ruiz,Eva', 'given=Eva family=Ruiz'],
    ['"Ruiz, Eva"', 'given=Eva family=Ruiz'],
    ['Ruiz, Eva (Harbor GmbH)', 'given=Eva family=Ruiz company=Harbor GmbH'],
    ['van der Berg, Jan', 'given=Jan family=van der Berg'],
    ['Berg, Jan van der', 'given=Jan family=van der Berg'],
    ['O’Neil, Pat', 'given=Pat family=O’Neil'],
    ['Ruiz,', 'family=Ruiz'],
    [', Eva', 'given=Eva'],
    ['DUBOIS Claire', 'given=Claire family=DUBOIS'],
    ['Claire DUBOIS', 'given=Claire family=DUBOIS'],
  ],
  'with particles': [
    ['Ludwig von und zu Hohenfels', 'given=Ludwig family=von und zu Hohenfels'],
    ['Jan Van Den Berg', 'given=Jan family=Van Den Berg'],
    ['Maria de la Cruz', 'given=Maria family=de la Cruz'],
    ['José Ortega y Gasset', 'given=José family=Ortega y Gasset'],
    ["Jeanne d'Arc", "given=Jeanne family=d'Arc"],
    ['Ahmad bin Yusof', 'given=Ahmad family=bin Yusof'],
    ['Emma St. John', 'given=Emma family=St. John'],
  ],
  'with degrees, titles and suffixes': [
    ['John Smith, Jr.', 'given=John family=Smith suffix=Jr.'],
    ['Smith, John, Jr.', 'given=John family=Smith suffix=Jr.'],
    ['Smith, Jr., John', 'given=John family=Smith suffix=Jr.'],
    ['Smith III, John', 'given=John family=Smith suffix=III'],
    ['Dr. Anna Weber, MBA', 'prefix=Dr. given=Anna family=Weber suffix=MBA'],
    ['Joe Foo, PhD', 'given=Joe family=Foo suffix=PhD'],
    ['Prof. Dr.-Ing. Klaus Berg', 'prefix=Prof. Dr.-Ing. given=Klaus family=Berg'],
    ['Frau Dr. Roth', 'prefix=Frau Dr. family=Roth'],
    ['Kevin Ma', 'given=Kevin family=Ma'],
    ['James Lee MD', 'given=James family=Lee suffix=MD'],
    ['M. Paul Girard', 'prefix=M. given=Paul family=Girard', { locale: 'fr-FR' }],
    ['M. Paul Girard', 'given=M. Paul family=Girard'],
    ['Robert "Bob" Hill', 'given=Robert family=Hill nickname=Bob'],
    ['Elizabeth (Liz) Harper', 'given=Elizabeth family=Harper nickname=Liz'],
    ['Doe, John, Patrick', 'given=John Patrick family=Doe'],
  ],
  'with what is no name': [
    ["'Eva Ruiz' via Support", 'given=Eva family=Ruiz rest=via Support'],
    ['Eva Ruiz via Harbor GmbH', 'given=Eva family=Ruiz company=Harbor GmbH'],
    ['Amy Lee from Birchdesk', 'given=Amy family=Lee company=Birchdesk'],
    ['[EXT] Ruiz, Eva (CI/OS-2)', 'given=Eva family=Ruiz rest=EXT CI/OS-2'],
    ['Eva Ruiz - Acme', 'given=Eva family=Ruiz company=Acme'],
    ['Eva Ruiz – Harbor GmbH', 'given=Eva family=Ruiz company=Harbor GmbH'],
    ['Eva Ruiz-Acme', 'given=Eva family=Ruiz-Acme'],
    ['Eva Ruiz | Harbor AG', 'given=Eva family=Ruiz company=Harbor AG'],
    ['Seven Mills Consulting⎥Miriam Deller', 'given=Miriam family=Deller company=Seven Mills Consulting'],
    ['Eva Ruiz, CEO', 'given=Eva family=Ruiz rest=CEO'],
    ['Harbor GmbH, Eva Ruiz', 'given=Eva family=Ruiz company=Harbor GmbH'],
    ['Tom Holt (he/him)', 'given=Tom family=Holt rest=he/him'],
  ],
  'in other scripts': [
    ['佐藤 美咲', 'given=美咲 family=佐藤'],
    ['佐藤\u3000美咲\u3000様', 'given=美咲 family=佐藤 suffix=様'],
    ['김민수', 'given=김민수'],
    ['Иван Петров', 'given=Иван family=Петров'],
    ['محمد علي', 'given=محمد family=علي'],
  ],
  'of nobody': [
    ['Harbor GmbH', 'company=Harbor GmbH'],
    ['Harper & Sons Ltd', 'company=Harper & Sons Ltd'],
    ['Harbor Support', 'company=Harbor Support'],
    ['eva.ruiz@firm.example', '-'],
    ['+49 30 4711', '-'],
    ['', '-'],
    [',', '-'],
    ['Anna und Peter Weber', '-'],
    ['Familie Roth', '-'],
    ['Lena Vogt / Jens Kühn', '-'],
  ],
}

for (const [kind, all] of Object.entries(NAMES))
  describe(`a name ${kind}`, () => {
    for (const [written, meant, context] of all)
      test(`${JSON.stringify(written)}${context ? ` in ${context.locale}` : ''}`, () =>
        assert.equal(shown(readName(written, context)), meant))
  })

test('what is left of an edited name stays the part that it was', () => {
  const former: Typed = { first_name: 'Ida', last_name: 'Lund Berg' }
  for (const [typed, first_name, last_name] of [
    ['Ida Lund Bergs', 'Ida', 'Lund Bergs'],
    ['Ada Lund Berg', 'Ada', 'Lund Berg'],
    ['Dr. Ida Lund Berg', 'Dr. Ida', 'Lund Berg'],
    ['Ida', 'Ida', null],
    ['Lund Berg', null, 'Lund Berg'],
    ['Lund Berg, Ada', 'Ada', 'Lund Berg'],
    ['Ada Lund', 'Ada', 'Lund'],
  ] as [string, string | null, string | null][])
    assert.deepEqual(typedNames(typed, 'en', former), { first_name, last_name }, typed)
  assert.deepEqual(typedNames('Ida Lund Berg', 'en'), { first_name: 'Ida Lund', last_name: 'Berg' })
})

test('whatever is written, nothing is thrown, and no part is empty or ends with a comma', () => {
  const pieces = fc.constantFrom(
    'Eva',
    'Ruiz',
    ',',
    ' ',
    '(',
    ')',
    'Dr.',
    'Jr.',
    'von',
    '|',
    '"',
    "'",
    'GmbH',
    'via',
    '/',
    '@',
    '李',
    'III',
  )
  const text = fc.oneof(
    fc.string(),
    fc.array(pieces, { maxLength: 12 }).map((all) => all.join(' ')),
  )
  fc.assert(
    fc.property(text, (written) => {
      const { given, family } = readName(written) ?? {}
      for (const part of [given, family]) if (part !== undefined) assert.match(part, /^\S(?:.*[^\s,])?$/su)
    }),
  )
})
