// The elements, attributes and styles allowed in HTML mail. Everything else is removed. Each value is matched as a
// whole and rewritten where possible, so that a browser reads nothing that was not checked here.

/** Returns the value to keep; undefined removes it. */
type Rule = (value: string) => string | undefined

/** Matches the value in lower case. */
const like =
  (pattern: RegExp): Rule =>
  (value) => {
    const lower = value.trim().toLowerCase()
    return pattern.test(lower) ? lower : undefined
  }

const exactly =
  (pattern: RegExp): Rule =>
  (value) =>
    pattern.test(value) ? value : undefined

const oneOf = (...words: string[]): Rule => like(new RegExp(`^(?:${words.join('|')})$`))
const anyText: Rule = (value) => value

/** The address as a browser would parse it, with a scheme: a mail has no page that a relative one could refer to. */
const address =
  (schemes: readonly string[]): Rule =>
  (value) => {
    const url = URL.parse(value)
    return url && schemes.includes(url.protocol) ? url.href : undefined
  }

const link = address(['http:', 'https:', 'mailto:', 'tel:'])
const remoteImage = address(['http:', 'https:', 'cid:'])
/** Pixels contain no code, unlike SVG. Some programs break the base64 into lines. */
const inlineImage: Rule = (value) => {
  const whole = value.replace(/\s+/g, '')
  return /^data:image\/(?:png|jpe?g|gif|webp);base64,[A-Za-z0-9+/]+={0,2}$/.test(whole) ? whole : undefined
}

const COLOR = '#(?:[0-9a-f]{3,4}|[0-9a-f]{6}|[0-9a-f]{8})|[a-z]{3,20}'
const color = like(new RegExp(`^(?:${COLOR})$`))
const styleColor = like(new RegExp(`^(?:${COLOR}|rgba?\\([0-9.,%]{5,40}\\))$`))

/** Pixels or per cent in HTML syntax, without a unit. */
const size: Rule = (value) => /^\s*(\d{1,4}|\d{1,3}%)(?:px)?\s*$/i.exec(value)?.[1]
const small = like(/^\d{1,2}$/)
const cells = like(/^[1-9]\d?$/)

const EVERYWHERE: Record<string, Rule> = {
  align: oneOf('left', 'right', 'center', 'justify', 'top', 'middle', 'bottom'),
  bgcolor: color,
  dir: oneOf('ltr', 'rtl', 'auto'),
  height: size,
  lang: like(/^[a-z0-9-]{1,35}$/),
  style: (value) => safeStyle(value),
  title: anyText,
  valign: oneOf('top', 'middle', 'bottom', 'baseline'),
  width: size,
}

const CELL: Record<string, Rule> = { colspan: cells, rowspan: cells, nowrap: () => '', scope: oneOf('col', 'row') }

const PLAIN =
  'abbr acronym address article aside b bdi bdo big br caption center cite code dd del dfn div dl dt em figcaption ' +
  'figure footer h1 h2 h3 h4 h5 h6 header hr i ins kbd main mark nav p pre q rp rt ruby s samp section small span ' +
  'strike strong sub sup tbody tfoot thead time tr tt u var wbr'

const OWN: Record<string, Record<string, Rule>> = {
  a: { href: link },
  blockquote: { type: oneOf('cite') },
  col: { span: cells },
  colgroup: { span: cells },
  font: { color, size: like(/^[+-]?[1-7]$/) },
  img: { alt: anyText, border: small, src: (value) => inlineImage(value) ?? remoteImage(value) },
  li: { value: like(/^-?\d{1,6}$/) },
  ol: { start: like(/^-?\d{1,6}$/), type: exactly(/^[1aAiI]$/) },
  table: { border: small, cellpadding: small, cellspacing: small, role: oneOf('presentation', 'none') },
  td: CELL,
  th: CELL,
  ul: { type: oneOf('disc', 'circle', 'square') },
}

const rulesOf = (own: Record<string, Rule>) => new Map(Object.entries({ ...EVERYWHERE, ...own }))

/** The allowed elements, each with the rules of its attributes. */
export const ELEMENTS: ReadonlyMap<string, ReadonlyMap<string, Rule>> = new Map([
  ...PLAIN.split(' ').map((tag) => [tag, rulesOf({})] as const),
  ...Object.entries(OWN).map(([tag, own]) => [tag, rulesOf(own)] as const),
])

/**
 * Elements that contain code, data or other languages are removed with their content. Of other elements the content
 * stays.
 */
export const CODE: ReadonlySet<string> = new Set(
  (
    'applet iframe math noembed noframes noscript option plaintext script select style svg template textarea title ' +
    'xml xmp'
  ).split(' '),
)

/** Linked pages get no handle on the page with the link and no referrer, and search engines do not count it as ours. */
const LINK = { target: '_blank', rel: 'noopener noreferrer nofollow' }
export const LINK_ATTRIBUTES: readonly string[] = Object.keys(LINK)

export function safeAttributes(tag: string, given: Record<string, string>): Record<string, string> {
  const rules = ELEMENTS.get(tag)
  const safe: Record<string, string> = {}
  if (!rules) return safe
  for (const name of Object.keys(given)) {
    const value = rules.get(name)?.(given[name] as string)
    if (value !== undefined) safe[name] = value
  }
  return safe.href === undefined ? safe : { ...safe, ...LINK }
}

const PIXELS: Record<string, number> = { px: 1, pt: 4 / 3, em: 16, rem: 16, ex: 8, in: 96, cm: 37.8, mm: 3.78 }

/**
 * A length within bounds in pixels; `percent` is the number of pixels per 1 %; without it any passes. Outlook writes
 * ".0001pt".
 */
const length =
  (min: number, max: number, percent = Number.POSITIVE_INFINITY): Rule =>
  (value) => {
    const [, number, unit = ''] = /^(\d{0,4}(?:\.\d{1,8})?)(px|pt|r?em|ex|in|cm|mm|%)?$/.exec(value) ?? []
    if (!number) return undefined
    const pixels = Number(number) * (unit === '%' ? percent : (PIXELS[unit] ?? 0))
    // Only 0 may have no unit.
    return pixels >= min && pixels <= max && (unit || Number(number) === 0) ? value : undefined
  }

const either =
  (...rules: Rule[]): Rule =>
  (value) =>
    rules.some((rule) => rule(value) !== undefined) ? value : undefined

/** Up to `max` values separated by spaces. */
const upTo =
  (max: number, rule: Rule): Rule =>
  (value) => {
    const parts = value.split(' ')
    return parts.length <= max && parts.every((part) => rule(part) !== undefined) ? value : undefined
  }

const line = oneOf('none', 'hidden', 'solid', 'dashed', 'dotted', 'double')
const thickness = either(length(0, 10), oneOf('thin', 'medium', 'thick'))
const border = upTo(3, either(thickness, line, styleColor))
const padding = length(0, 100, 5)
const margin = either(padding, oneOf('auto'))
const extent = either(length(0, 2000, 20), oneOf('auto'))

const sides = (name: string, rule: Rule): [string, Rule][] =>
  ['top', 'right', 'bottom', 'left'].map((side) => [`${name}-${side}`, rule])

/** Nothing that loads, moves elements, covers others or depends on the page around it. */
const STYLE: ReadonlyMap<string, Rule> = new Map([
  ['background-color', styleColor],
  ['border', border],
  ['border-collapse', oneOf('collapse', 'separate')],
  ['border-color', upTo(4, styleColor)],
  ['border-radius', length(0, 50, 1)],
  ['border-style', upTo(4, line)],
  ['border-width', upTo(4, thickness)],
  ['color', styleColor],
  // Preview texts and mobile layouts are hidden.
  ['display', oneOf('none', 'block', 'inline', 'inline-block')],
  ['font-size', either(length(8, 48, 0.16), oneOf('(?:xx?-)?(?:small|large)', 'medium', 'smaller', 'larger'))],
  ['font-style', oneOf('normal', 'italic', 'oblique')],
  ['font-weight', oneOf('normal', 'bold', 'bolder', 'lighter', '[1-9]00')],
  ['height', extent],
  ['line-height', either(length(8, 72, 0.16), oneOf('normal', '[1-3](?:\\.\\d{1,4})?'))],
  ['list-style-type', oneOf('none', 'disc', 'circle', 'square', 'decimal', '(?:lower|upper)-(?:alpha|roman)')],
  ['margin', upTo(4, margin)],
  ['max-width', extent],
  ['padding', upTo(4, padding)],
  ['text-align', oneOf('left', 'right', 'center', 'justify', 'start', 'end')],
  ['text-decoration', upTo(2, oneOf('none', 'underline', 'overline', 'line-through'))],
  ['vertical-align', oneOf('baseline', 'top', 'middle', 'bottom', 'text-top', 'text-bottom', 'sub', 'super')],
  ['white-space', oneOf('normal', 'nowrap', 'pre', 'pre-wrap', 'pre-line')],
  ['width', extent],
  ...sides('border', border),
  ...sides('margin', margin),
  ...sides('padding', padding),
])

const MAX_STYLE = 10_000

/**
 * The allowed declarations. Splits them without regard to quotes, brackets and comments: at worst this adds or loses a
 * harmless declaration.
 */
function safeStyle(style: string): string | undefined {
  if (style.length > MAX_STYLE) return undefined
  const allowed = style.split(';').flatMap((declaration) => {
    const colon = declaration.indexOf(':')
    const name = declaration.slice(0, Math.max(colon, 0)).trim().toLowerCase()
    const given = plainValue(declaration.slice(colon + 1))
    const [property, value] = name === 'background' ? ['background-color', colorOf(given)] : [name, given]
    const safe = STYLE.get(property)?.(value)
    return safe === undefined ? [] : [`${property}:${safe}`]
  })
  return allowed.length > 0 ? allowed.join(';') : undefined
}

/** The color in a `background` shorthand. Without it, light text on a dark image would become white on white. */
const colorOf = (background: string): string =>
  background.split(' ').find((part) => /^(?:#|rgb)/.test(part)) ?? background

/** In lower case, with single spaces between values and none within, and without `!important`. */
const plainValue = (value: string): string =>
  value
    .toLowerCase()
    .replace(/\s+/g, ' ')
    .replace(/ ?! ?important ?$/, '')
    .replace(/ ?, ?/g, ',')
    .trim()
