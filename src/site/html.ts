/** A piece of markup. All other values in a template are escaped. */
export type Html = { readonly markup: string }
export type Content = Html | string | number | false | null | undefined | readonly Content[]

const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }
const escaped = (text: string): string => text.replace(/[&<>"']/g, (character) => ENTITIES[character] as string)

/** Renders a template: lists are joined; false, null and undefined are omitted. */
export function html(parts: TemplateStringsArray, ...values: Content[]): Html {
  return { markup: parts.reduce((markup, part, index) => markup + markupOf(values[index - 1]) + part) }
}

function markupOf(content: Content): string {
  if (content === false || content === null || content === undefined) return ''
  if (Array.isArray(content)) return content.map(markupOf).join('')
  return typeof content === 'object' ? (content as Html).markup : escaped(String(content))
}

/** Returns the pieces with a separator between them. */
export function join(pieces: readonly Content[], separator: Content): Content[] {
  return pieces.flatMap((piece, index) => (index === 0 ? [piece] : [separator, piece]))
}
