export const en = {
  title: {
    contacts: (name: string) => `${name} has this email already`,
    companies: (name: string) => `${name} has this domain already`,
  },
  bodyNew: 'Nothing is written yet. What you typed can be added to it: what it has otherwise becomes a note.',
  bodyNewCompany: 'Nothing is written yet. A domain belongs to one company.',
  bodyChange: 'The change is not saved yet. Two contacts can have one email, or become one.',
  bodyChangeCompany: 'The change is not saved yet. A domain belongs to one company; two companies can become one.',
  cancel: 'Cancel',
  open: 'Open',
  add: 'Add to it',
  merge: 'Merge',
  create: { contacts: 'Create all the same', companies: 'Create without the domain' },
  save: 'Save all the same',
  added: (name: string) => `${name} complemented`,
  created: (name: string) => `${name} added`,
  saved: (name: string) => `${name} saved`,
}
