export const en = {
  summary: (active: number, invited: number) =>
    invited > 0 ? `${active} active, ${invited} invited` : `${active} active`,
  invite: 'Invite member',
  tabsLabel: 'Members by state',
  never: 'Deactivated, never deleted: notes keep the name',
  roleNotes: {
    owner: 'Everything, also other owners',
    admin: 'Everything but changing owners',
    member: 'Reads all; writes records, mail and sequences',
    viewer: 'Reads all, changes nothing, sends nothing',
  },
  invitedFor: (left: string) => `Invited, ${left} left`,
  anyone: 'Anyone with the link',
  since: (date: string) => `since ${date}`,
  none: 'Nobody here',
  noneBody: (tab: string) => `There is no member in “${tab}”.`,

  changeRole: (name: string) => `Change the role of ${name}`,
  roleChanged: (name: string, role: string) => `${name} is ${role} now`,
  roleBody: 'Whoever gets another role has to sign in again.',
  ownRole: 'Nobody changes their own role. Another owner or admin can.',
  ownersOnly: (names: string) => `Owned by ${names}. Only owners change owners.`,
  renamed: 'Name changed',
  deactivate: 'Deactivate',
  reactivate: 'Activate again',
  deactivated: (name: string) => `${name} deactivated`,
  activated: (name: string) => `${name} is active again`,
  deactivateBody: 'Signs them out and keeps them out. Their records and notes stay; their tokens stop working.',
  sessions: 'Sessions',
  noSessions: 'Signed in nowhere.',
  signOutEverywhere: 'Sign out everywhere',
  signedOut: (name: string) => `${name} signed out everywhere`,
  sessionEnded: 'Session ended',

  invitation: 'Invitation',
  invitedBy: (role: string, by: string | undefined, at: string) =>
    by ? `as ${role}, by ${by}, ${at}` : `as ${role}, ${at}`,
  emailHelp: 'With an address, the invitation works for it alone. Without one, for whoever has the link.',
  makeLink: 'Make the link',
  making: 'Making…',
  send: 'Send the link any way you like',
  sendBody: (until: string, email: string | null) =>
    email
      ? `It works once, for ${email}, until ${until}. No mail server is needed.`
      : `It works once, for whoever opens it first, until ${until}. No mail server is needed.`,
  link: 'Link',
  qr: 'QR code of the invitation link',
  qrHelp: 'On the same network: scan with a phone',
  loopback: (port: string) =>
    `Colleagues cannot open this link: it leads to this computer alone. Start the server with “--screens-listen 0.0.0.0:${port}”, open it by its name or address in the network, and make a new link there.`,
  reachable: (host: string) => `The link leads to ${host}. Colleagues who can open that can take it up.`,
  hidden: 'The link was shown once, when it was made. If it is lost, make a new one; the old one stops working.',
  newLink: 'New link',
  withdraw: 'Withdraw',
  withdrawn: 'Invitation withdrawn',

  mayTitle: 'What a role may do',
  may: {
    read: 'Read every record, conversation and report',
    write: 'Write records, send mail, run sequences',
    settings: 'Change settings, see all members’ sessions',
    members: 'Invite and change members below them',
    owners: 'Make and change owners',
  },
}
