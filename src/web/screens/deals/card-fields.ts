import { signal } from '@preact/signals'

// What stands on the cards, by choice of the person: kept in this browser.

export const CARD_FIELDS = ['company', 'days', 'next', 'close', 'tags'] as const
export type CardField = (typeof CARD_FIELDS)[number]
export type CardFields = Readonly<Record<CardField, boolean>>

const STORE = 'dealbox.card-fields'
const USUAL: CardFields = { company: true, days: true, next: true, close: false, tags: false }

export const cardFields = signal<CardFields>(read())

export function showField(field: CardField, isShown: boolean): void {
  cardFields.value = { ...cardFields.peek(), [field]: isShown }
  try {
    localStorage.setItem(STORE, JSON.stringify(cardFields.peek()))
  } catch {
    // Without storage the choice holds until the page is left.
  }
}

function read(): CardFields {
  try {
    return { ...USUAL, ...JSON.parse(globalThis.localStorage?.getItem(STORE) ?? '{}') }
  } catch {
    return USUAL
  }
}
