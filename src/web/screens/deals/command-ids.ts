/** The menu of a card, in groups. The last one deletes. */
export const CARD_COMMANDS: readonly (readonly string[])[] = [
  ['deals.open', 'deals.open-tab', 'deals.peek', 'deals.select'],
  ['deals.stage', 'deals.owner', 'deals.tags', 'deals.amount', 'deals.date', 'deals.note'],
  ['deals.won', 'deals.lost'],
  ['deals.copy-link', 'deals.delete'],
]
