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
  tryAgain: 'Try again',
  discard: 'Discard',
}
