// What things are called: events, filters and imports name one of them, paths and tables name many. Each other map between
// the two is one of these.

/** The table of each. */
export const TABLES = {
  contact: 'contacts',
  company: 'companies',
  deal: 'deals',
  note: 'notes',
  task: 'tasks',
  meeting: 'meetings',
  transcript: 'transcripts',
  conversation: 'conversations',
  message: 'messages',
  enrollment: 'enrollments',
  tag: 'tags',
  list: 'lists',
  stage: 'stages',
  custom_field: 'custom_fields',
} as const

/** The path of each below /api/v1. */
export const PATHS = { ...TABLES, custom_field: 'custom-fields' } as const

export type Noun = keyof typeof PATHS
export type Path<N extends Noun = Noun> = (typeof PATHS)[N]
export type NounOf<P extends Path> = { [N in Noun]: Path<N> extends P ? N : never }[Noun]

const NOUNS = Object.fromEntries(Object.entries(PATHS).map(([noun, path]) => [path, noun]))

/** One of those below the path: a company of companies. */
export const nounOf = <P extends Path>(path: P): NounOf<P> => NOUNS[path] as NounOf<P>
