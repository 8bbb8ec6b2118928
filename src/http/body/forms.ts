import { Problem } from '../../lib/problem.ts'
import { JSON_TYPE } from '../answer.ts'
import { acceptsJson, preferred } from '../negotiate.ts'
import type { Need, Route } from '../route.ts'

/** The media type preferred by Accept; undefined means JSON. A file has its own type. Throws Problem 406. */
export function formOf(route: Route<Need>, accept: string | undefined): string | undefined {
  if (route.kind === 'file') return undefined
  const forms = route.kind === 'read' && route.forms ? Object.keys(route.forms) : []
  const type = forms.length > 0 ? preferred(accept, [JSON_TYPE, ...forms]) : acceptsJson(accept) && JSON_TYPE
  if (type) return type === JSON_TYPE ? undefined : type
  const only = forms.length > 0 ? `${JSON_TYPE}, ${forms.join(', ')}` : `${JSON_TYPE} only`
  throw new Problem(406, 'not_acceptable', `This resource is available as ${only}. Change the header Accept.`)
}
