/** What colleagues have done to deals that are in the hand. */
export const en = {
  someone: 'Somebody',
  company: 'company',
  none: 'none',
  moved: (who: string, from: string, to: string) => `${who} moved it from ${from} to ${to}`,
  changed: (who: string, field: string, from: string, to: string) => `${who} changed its ${field}: ${from} → ${to}`,
  closed: (who: string, outcome: 'won' | 'lost') => `${who} closed it as ${outcome}`,
  deleted: (who: string) => `${who} deleted it`,
  of: (title: string, line: string) => `${title}: ${line}`,
  more: (number: number) => `and ${number} more`,
  title: (title: string) => `“${title}” has changed meanwhile`,
  titleMany: (number: number) => `${number} of these deals have changed meanwhile`,
  yours: (target: string) => `You chose ${target}.`,
  keep: 'Leave as it is',
  move: (stage: string) => `Move to ${stage}`,
  close: (outcome: 'won' | 'lost') => `Close as ${outcome}`,
  refused: (title: string, line: string) => `${title} stays as it is. ${line}.`,
}
