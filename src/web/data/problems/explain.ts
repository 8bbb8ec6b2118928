import { catalogue } from '../../lib/texts/texts.ts'
import type { ApiProblem } from '../api.ts'
import { en, type Surroundings } from './en.ts'

// What the server refuses is said in the member's language, by its codes: its own sentences are English, and for programs.

const texts = catalogue({ en, de: () => import('./de.ts').then(({ de }) => de) })

/** Puts words of the catalogue in place of those of the server, before anybody reads them. */
export async function explain(problem: ApiProblem): Promise<void> {
  await texts.ready()
  const { fields } = texts()
  const errors = problem.errors.map((error) => {
    const { code, message } = error
    const numbers = (message.match(/\d[\d,.]*\d|\d/g) ?? []).join(' – ')
    return { ...error, message: fields[code]?.(numbers) ?? texts().refused(code) }
  })
  problem.reword(sentenceOf(problem, errors[0]?.message), errors)
}

function sentenceOf({ status, code, errors, requestId, body }: ApiProblem, first: string | undefined): string {
  const { problems, surroundings, severalFields, refused, failed } = texts()
  if (errors.length > 1) return severalFields(errors.length)
  if (first !== undefined) return first
  const known = problems[code]
  if (known !== undefined) {
    // About the surroundings of the server: whoever can change them has to know more.
    const more = surroundings[code === 'foreign_origin' ? String(body.cause) : code]?.(membersOf(body))
    return more === undefined ? known : `${known} ${more}`
  }
  return status >= 500 ? failed(requestId ?? code) : refused(code)
}

const membersOf = ({ host, shown, arrived, proxy }: Record<string, unknown>): Surroundings => ({
  host: String(host ?? ''),
  shown: String(shown),
  arrived: String(arrived),
  proxy: String(proxy),
})
