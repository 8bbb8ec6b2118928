import { signal } from '@preact/signals'
import { Fragment } from 'preact'
import { useEffect } from 'preact/hooks'
import { whenIdle } from '../later.tsx'
import type { PhonePart } from './phone-parts.ts'
import { useSources } from './sources.ts'

type Links = typeof import('./phone-parts.ts')

const links = signal<Links | undefined>(undefined)
const RETRY_MS = 2000

/** The rules of all countries are large: they come once the page has time, and a number is dialled without them only if it is plain. */
async function load(): Promise<void> {
  while (!links.peek()) {
    try {
      links.value = await import('./phone-parts.ts')
    } catch {
      await new Promise((resolve) => setTimeout(resolve, RETRY_MS))
    }
  }
}

let isAsked = false

/** The parts of a written number, each with what dials it. */
export function usePhoneParts(written: string): PhonePart[] {
  const country = useSources().country()
  useEffect(() => {
    if (isAsked) return
    isAsked = true
    whenIdle(() => void load())
  }, [])
  if (links.value) return links.value.phoneParts(written, country)
  const isPlain = /^\+[1-9][\d ]{6,17}$/.test(written)
  return [isPlain ? { text: written, href: `tel:${written.replaceAll(' ', '')}` } : { text: written }]
}

/** A number as it is written; each one in it is a link. */
export function PhoneLinks({ written }: { written: string }) {
  const parts = usePhoneParts(written)
  return (
    <span class="cut" dir="auto">
      {parts.map(({ text, href }, at) => (
        <Fragment key={at}>
          {href ? (
            <a class="link" href={href}>
              {text}
            </a>
          ) : (
            text
          )}
        </Fragment>
      ))}
    </span>
  )
}
