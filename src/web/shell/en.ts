/** Texts of the frame around the screens. */
export const en = {
  places: {
    inbox: 'Inbox',
    deals: 'Deals',
    contacts: 'Contacts',
    companies: 'Companies',
    lists: 'Lists',
    sequences: 'Sequences',
    duplicates: 'Duplicates',
    reports: 'Reports',
    tasks: 'Tasks',
    meetings: 'Meetings',
    settings: 'Settings',
    changes: 'My changes',
    search: 'Search',
  },

  make: { deal: 'New deal', contact: 'New contact', company: 'New company', task: 'New task', note: 'New note' },
  notCopied: (text: string) => `The browser did not copy it. Copy it from here: ${text}`,

  main: 'Main',
  path: 'Where you are',
  closePeek: 'Close the record beside the list',
  skip: 'Skip to the content',
  search: 'Search or jump',
  pinned: 'Pinned views',
  settings: 'Settings',
  more: 'More',
  late: (count: number) => `${count} late`,

  organisation: 'Organisation and appearance',
  theme: 'Appearance',
  themeSystem: 'As the system',
  themeLight: 'Light',
  themeDark: 'Dark',
  keys: 'Keyboard shortcuts',
  preferences: 'My preferences',
  reference: 'API reference',
  version: (version: string) => `Dealbox ${version}`,
  signOut: 'Sign out',

  saved: 'Everything saved',
  saving: 'Saving…',
  reconnecting: 'Reconnecting',
  offline: 'Offline',
  dataOf: (time: string) => `Data as of ${time}.`,
  waiting: (count: number) => (count === 1 ? '1 change waits' : `${count} changes wait`),
  noConnection: (host: string) => `No connection to ${host}`,
  since: (time: string) => `since ${time}.`,
  tryNow: 'Try now',
  openAnew: 'Open the page anew',
  gate: 'What you change is kept here, and sent once you are let in again.',
  proxy: 'It seems to have lost the server. What you change is kept here, and sent when that is back.',
  newVersion: 'New version',
  reload: 'Reload',

  notices: 'Notices',
  noticesCount: (count: number) => (count === 1 ? '1 new notice' : `${count} new notices`),
  notSaved: 'This could not be saved. It is as before.',

  missing: 'Nothing lives at this address',
  missingBody: 'The address has a mistake, or is from another version of Dealbox.',
  back: (place: string) => `Back to ${place}`,
  searchShort: 'Search',
  loading: 'Loading',
  failed: 'This page could not be loaded',
  failedBody:
    'Its files did not arrive. The server may have been updated, or the connection was lost. Nothing you saved is lost.',
  tryAgain: 'Try again',

  signedOutTitle: 'Sign in to go on',
  signedOutBody: (waiting: number) =>
    waiting === 0
      ? 'Your session ended. What you were writing is still on this page.'
      : `Your session ended. What you were writing is still on this page, and ${waiting === 1 ? '1 change waits' : `${waiting} changes wait`} to be saved once you are in.`,
  asOther: 'Sign in as somebody else',

  present: (names: string) => `${names} here too`,
}
