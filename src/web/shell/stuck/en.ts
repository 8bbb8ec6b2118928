const named = (what: string, name: string) => (name === '' ? `${what}.` : `${what}: “${name}”.`)

/** Texts of changes that do not get through. */
export const en = {
  what: {
    create: (name: string) => named('Not created', name),
    patch: (name: string) => named('A change is not saved', name),
    act: (name: string) => named('A change is not saved', name),
    remove: (name: string) => named('Not deleted', name),
  },
  alone: 'Other changes get through. The person who runs this server can say why this one does not.',
  old: (when: string) =>
    `It was sent (${when}), and no answer came: it may be there already. Look before you try again.`,
  tryAgain: 'Try again',
  discard: 'Discard',
  draft: (name: string) => named('A text that you began', name),
  leave: {
    title: 'Sign out and lose this?',
    body: 'It could not be saved. Nothing of yours stays in this browser once you sign out.',
    more: (count: number) => `and ${count} more`,
    stay: 'Stay',
    verb: 'Sign out and lose it',
  },
}
