// Content negotiation (RFC 9110, section 12.5), as far as needed for JSON and a few other forms.

type Range = { name: string; quality: number }

function ranges(header: string): Range[] {
  return header.split(',').map((part) => {
    const [name = '', ...parameters] = part.split(';').map((piece) => piece.trim().toLowerCase())
    const q = parameters.find((parameter) => parameter.startsWith('q='))
    return { name, quality: q === undefined ? 1 : Number(q.slice(2)) || 0 }
  })
}

/** The quality of the first range found for the names, which are ordered from specific to general. */
function quality(header: string, names: readonly string[]): number {
  const all = ranges(header)
  for (const name of names) {
    const range = all.find((one) => one.name === name)
    if (range) return range.quality
  }
  return 0
}

export function acceptsJson(accept: string | undefined): boolean {
  if (!accept || accept === '*/*' || accept === 'application/json') return true
  return quality(accept, ['application/json', 'application/*', '*/*']) > 0
}

/** The media type with the highest quality, the first of equals. Undefined if none is acceptable. */
export function preferred(accept: string | undefined, offered: readonly string[]): string | undefined {
  const qualities = offered.map((type) => (accept ? quality(accept, [type, type.replace(/\/.*/, '/*'), '*/*']) : 1))
  const best = Math.max(...qualities)
  return best > 0 ? offered[qualities.indexOf(best)] : undefined
}

export function acceptsGzip(encodings: string | undefined): boolean {
  if (!encodings) return false
  return quality(encodings, ['gzip', '*']) > 0
}

/**
 * The coding or language with the highest quality, the first of equals; undefined if the header is missing or names none
 * of them.
 */
export function preferredName<Name extends string>(
  header: string | undefined,
  offered: readonly Name[],
): Name | undefined {
  if (!header) return undefined
  const qualities = offered.map((name) => quality(header, [name, '*']))
  const best = Math.max(...qualities)
  return best > 0 ? offered[qualities.indexOf(best)] : undefined
}
