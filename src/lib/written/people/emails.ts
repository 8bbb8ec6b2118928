import { emailIn, emailKey } from '../../email.ts'
import { withoutInvisible } from '../../pure/invisible.ts'
import type { Context, Reading } from '../reading.ts'
import { type Label, labelOf } from './contact-words.ts'

export type WrittenEmail = { email: string; label?: Label }

/** A longer text is none, and is not looked at. */
const LONGEST = 4000
/** Between two addresses. */
const OR = /^(?:oder|od\.?|or|ou|o|und|u\.?|and|et|y|e|bzw\.?|lub|i|eller|och|of|en|[/&+]|[-–—|])$/iu

/**
 * Reads the addresses of a text, each of which once: also with names in front of them, as a link, with labels, or hidden from
 * collectors. Of the context it looks at `isSeen`: a person who types an address means no host without a dot.
 */
export function readEmails(given: string, { isSeen = false }: Context = {}): Reading<readonly WrittenEmail[]> {
  if (given.length > LONGEST) return none(given.slice(0, LONGEST))
  const text = shown(withoutInvisible(given))
  const found = new Map<string, WrittenEmail>()
  const names: string[] = []
  let isNamed = false
  for (const part of partsOf(text)) {
    const [, front = '', address] = /^(.*)<([^<>]*)>\s*(?:\([^()]*\))?$/s.exec(part) ?? []
    if (address !== undefined) isNamed = true
    for (const one of address === undefined ? readPart(part) : [...before(front), { text: address }]) {
      const email = emailIn(one.text)
      if (email !== undefined && isGood(email, isSeen)) {
        const key = emailKey(email)
        if (!found.has(key)) found.set(key, { email, ...(one.label ? { label: one.label } : {}) })
      } else names.push(one.text)
    }
  }
  const all = [...found.values()]
  const [first] = all
  const strange = isNamed ? names.find((name) => name.includes('@')) : names[0]
  if (strange !== undefined || !first) return first ? { unread: { part: strange ?? '', why: 'rest' } } : none(given)
  const curly = isSeen ? undefined : all.find(({ email }) => /[’‘]/.test(email))
  if (!curly) return { value: all }
  if (all.length > 1) return { unread: { part: curly.email, why: 'several' } }
  return { either: [[{ ...curly, email: curly.email.replace(/[’‘]/g, "'") }], [curly]] }
}

/** The addresses that stand in front of one in angle brackets: often it is the same once more, as its own name. */
const before = (front: string): { text: string }[] =>
  (front.match(/[^\s<>"'(),;]+@[^\s<>"'(),;]+/g) ?? []).map((text) => ({ text }))

const none = (text: string): Reading<never> => ({ unread: { part: text, why: 'not_one' } })

/** "mia [at] depot [dot] example" */
const shown = (text: string): string =>
  /[[({]\s*(?:at|ät|@)\s*[\])}]/iu.test(text)
    ? text
        .replace(/\s*[[({]\s*(?:at|ät|@)\s*[\])}]\s*/giu, '@')
        .replace(/\s*[[({]\s*(?:dot|punkt|point|punto|\.)\s*[\])}]\s*/giu, '.')
    : text

/** Hosts that exist have no such signs, though a strict form lets them through. */
const isGood = (email: string, isSeen: boolean): boolean =>
  !/@.*[?#/=!%&*«»]|@.*\.\.|@[.-]|^[«»]/.test(email) && (!isSeen || /@(?:localhost$|\[|.*\.[^.]+$)/i.test(email))

/** What stands between separators, outside of quotation marks and angle brackets. */
function partsOf(text: string): string[] {
  const parts = text.replaceAll(':::', ';').match(/(?:"(?:[^"\\]|\\.)*"|<[^<>]*>|[^,;，；、\n\r"<]|["<])+/gu) ?? []
  return parts.map((part) => part.trim()).filter((part) => part !== '')
}

/** The addresses that spaces and words stand between, and a label around each. */
function readPart(part: string): { text: string; label?: Label | undefined }[] {
  const text = part.replace(/^(["'])([^"']*@[^"']*)\1$/, '$2').replace(/^smtp:/i, '')
  if (/^"[^"]*"@\S+$/.test(text)) return [{ text }]
  const [, bare = text, behind] = /^(.*?)\s*[([]([^()[\]@]+)[)\]]$/su.exec(text) ?? []
  const [, front, rest = bare] = /^([\p{L}][\p{L}. -]*?)\s*[:：]\s*(?=\S*[@＠])(.*)$/su.exec(bare) ?? []
  const labels = [front === 'mailto' ? undefined : front, behind].map((said) =>
    said === undefined ? '' : labelOf(said),
  )
  if (labels.includes(undefined) || (front === undefined && behind === undefined)) return words(text)
  const label = labels.find(Boolean) as Label | undefined
  return words(front === 'mailto' ? bare : rest).map((each) => ({ ...each, label }))
}

const words = (text: string): { text: string }[] =>
  text
    .split(/[\s|]+/)
    .filter((word) => word !== '' && !OR.test(word))
    .map((word) => ({ text: word.replace(/^(?:'(.*)'|\((.*)\)|\[(.*)\]|«(.*)»)$/, '$1$2$3$4') }))
