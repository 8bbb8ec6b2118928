import { de } from '../../../lib/pure/checks/de.ts'
import { en } from '../../../lib/pure/checks/en.ts'
import type { Message, Said } from './notifier.ts'

export type Language = 'en' | 'de'

/** What the server is called, and where its owners see more; without a link where only its own machine reaches it. */
export type NamedServer = { name: string; link: string | undefined }

const CHECKS: Record<Language, Record<string, string>> = { en, de }

const WORDS = {
  en: {
    bad: (server: string, what: string) => `${server} needs somebody: ${what}`,
    well: (server: string, what: string) => `${server} is well again: ${what}`,
    since: (at: string) => `since ${at}`,
    again: 'Well again',
    once: 'This is said once a day for as long as it lasts, and once when it is well again.',
    link: (url: string) => `More, and what to do: ${url}`,
  },
  de: {
    bad: (server: string, what: string) => `${server} braucht jemanden: ${what}`,
    well: (server: string, what: string) => `Bei ${server} ist wieder gut: ${what}`,
    since: (at: string) => `seit ${at}`,
    again: 'Wieder gut',
    once: 'Das kommt einmal am Tag, solange es so bleibt, und einmal, wenn es wieder gut ist.',
    link: (url: string) => `Mehr dazu, und was zu tun ist: ${url}`,
  },
} as const

const nameOf = (check: string, language: Language): string => CHECKS[language][check] ?? check

const named = (all: readonly Said[], language: Language): string =>
  all.map(({ check }) => nameOf(check, language)).join(', ')

/** One line: the subject of a mail. */
export function titleOf({ bad, well }: Message, server: string, language: Language): string {
  const words = WORDS[language]
  return bad.length > 0 ? words.bad(server, named(bad, language)) : words.well(server, named(well, language))
}

/** The text. What was found is in English, as in /readyz, the log and the commands that it names. */
export function sentences(message: Message, { name, link }: NamedServer, language: Language, timezone: string): string {
  const { bad, well } = message
  const words = WORDS[language]
  const time = timesIn(language, timezone)
  const parts = [
    titleOf(message, name, language),
    ...bad.map(({ check, detail, since }) => `${nameOf(check, language)}, ${words.since(time(since))}\n${detail}`),
    ...(well.length > 0 && bad.length > 0 ? [`${words.again}: ${named(well, language)}`] : []),
    ...(bad.length > 0 ? [words.once] : []),
    ...(link === undefined ? [] : [words.link(link)]),
  ]
  return `${parts.join('\n\n')}\n`
}

function timesIn(language: Language, timeZone: string): (at: number) => string {
  const shown = { dateStyle: 'medium', timeStyle: 'short', timeZone } as const
  const format = new Intl.DateTimeFormat(language === 'de' ? 'de-DE' : 'en-GB', shown)
  return (at) => `${format.format(at)} (${timeZone})`
}
