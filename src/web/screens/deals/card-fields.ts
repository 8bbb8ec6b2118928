import { computed, signal } from '@preact/signals'
import { keep, kept } from '../../lib/kept.ts'

// What stands on the cards, by choice of the person: kept in this browser.

export const CARD_FIELDS = ['company', 'days', 'next', 'close', 'tags'] as const
export type CardField = (typeof CARD_FIELDS)[number]
export type CardFields = Readonly<Record<CardField, boolean>>

const STORE = 'dealbox.card-fields'
const USUAL: CardFields = { company: true, days: true, next: true, close: false, tags: false }

const changed = signal<CardFields | undefined>(undefined)
export const cardFields = computed(() => changed.value ?? read())

export function showField(field: CardField, isShown: boolean): void {
  const fields = { ...cardFields.peek(), [field]: isShown }
  changed.value = fields
  keep(STORE, JSON.stringify(fields))
}

function read(): CardFields {
  try {
    return { ...USUAL, ...JSON.parse(kept(STORE) ?? '{}') }
  } catch {
    return USUAL
  }
}
