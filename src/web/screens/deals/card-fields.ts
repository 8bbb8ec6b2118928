import { computed, signal } from '@preact/signals'
import { me } from '../../data/boot.ts'
import { keep, kept } from '../../lib/kept.ts'

// What stands on the cards, by choice of the member: kept in this browser.

export const CARD_FIELDS = ['company', 'days', 'next', 'close', 'tags'] as const
export type CardField = (typeof CARD_FIELDS)[number]
export type CardFields = Readonly<Record<CardField, boolean>>

const USUAL: CardFields = { company: true, days: true, next: true, close: false, tags: false }

const changed = signal<{ by: string; fields: CardFields } | undefined>(undefined)
const nameOf = (member: string): string => `dealbox.card-fields.${member}`

export const cardFields = computed(() => {
  const { id } = me.value
  return changed.value?.by === id ? changed.value.fields : read(id)
})

export function showField(field: CardField, isShown: boolean): void {
  const { id } = me.peek()
  const fields = { ...cardFields.peek(), [field]: isShown }
  changed.value = { by: id, fields }
  keep(nameOf(id), JSON.stringify(fields))
}

function read(member: string): CardFields {
  try {
    return { ...USUAL, ...JSON.parse(kept(nameOf(member)) ?? '{}') }
  } catch {
    return USUAL
  }
}
