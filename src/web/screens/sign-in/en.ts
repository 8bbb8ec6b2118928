/** Texts of the pages for those who are not signed in. */
export const en = {
  signIn: 'Sign in',
  sub: 'Sign in with your work email.',
  email: 'Email',
  password: 'Password',
  forgot: 'Forgot it?',
  forgotBody: (owner: string | null) =>
    `Passwords cannot be read or mailed. Ask ${owner ?? 'an owner'} for a sign-in link: "dealbox member reset" on the server prints one, and with it you set a new password.`,
  capsLock: 'Caps Lock is on.',
  show: 'Show the password',
  hide: 'Hide the password',
  stay: 'Stay signed in on this device',
  noAccount: (owner: string | null) =>
    owner
      ? `No account yet? Ask ${owner}, who owns this Dealbox, for an invitation.`
      : 'No account yet? Ask an owner of this Dealbox for an invitation.',
  signingIn: 'Signing in…',
  wrong: 'Email and password do not go together. Check both; capital letters count in the password.',
  tooMany: (wait: string) => `Too many attempts. You can try again in ${wait}.`,
  wait: (seconds: number) => (seconds < 90 ? `${seconds} s` : `${Math.ceil(seconds / 60)} min`),
  noAnswer: 'The server did not answer. What you typed is still here; try again when it is back.',
  inFront: (status: number) =>
    `Something in front of Dealbox ${status === 0 ? 'sent the request elsewhere' : `answered ${status}`}, such as a sign-in gate or a firewall: the server did not see it. Your password may be right.`,
  openAnew: 'Open the page anew',
  refused: 'The server refused this.',
  required: (label: string) => `Fill in “${label}”.`,
  needEmail: 'Write your email address, such as ana@example.com.',

  code: 'Code',
  codeTitle: 'Second step',
  codeBody:
    'Enter the six digits that your authenticator app shows now, or one of your recovery codes. If both are lost, "dealbox member reset EMAIL --second-factor" on the server helps.',
  wrongCode: 'This code is not right, or was used before. Codes change every 30 seconds.',
  continue: 'Continue',
  back: 'Back',

  server: 'Server',
  version: 'Version',
  state: 'State',
  running: 'Running',
  aside: 'This server',

  checking: 'Looking at the link…',
  byLink: (email: string) => `This link signs you in as ${email}.`,
  linkUntil: (time: string) => `It works once, until ${time}.`,
  linkUsed: 'This link was used already',
  linkUsedBody:
    'A link works once. If it was you, sign in with your password. If it was not, tell the person who sent it: they can send a new one and end what was opened with this one.',
  linkExpired: 'This link has expired',
  linkExpiredBody: 'Links work for a limited time. Ask the person who sent it for a new one; nothing else is needed.',
  linkWithdrawn: 'This link was withdrawn',
  linkWithdrawnBody: 'The person who sent it took it back, or may no longer invite. Ask for a new one.',
  linkUnknown: 'This link is not known here',
  linkUnknownBody:
    'It may have been withdrawn, or cut off on its way. Open it exactly as it was sent, or ask for a new one.',
  linkNew: {
    setup: 'On the server, "dealbox serve" prints a new setup link as long as there is no owner.',
    invite: 'An owner or admin makes a new invitation under Settings, Members.',
    sign_in: 'On the server, "dealbox member reset" prints a new sign-in link.',
  },
  tryAgain: 'Try again',
  toSignIn: 'Go to the sign-in page',

  needsSetup: 'This Dealbox has no owner yet',
  needsSetupBody:
    'Open the setup link that the server printed when it started. It works once and for 24 hours; starting the server again prints a new one.',

  joinTitle: (org: string) => `Join ${org}`,
  joinBody: (by: string | null, role: string) =>
    by
      ? `${by} invites you as ${role}. Choose how you appear to your colleagues, and a password.`
      : `You are invited as ${role}. Choose how you appear to your colleagues, and a password.`,
  roles: { owner: 'owner', admin: 'admin', member: 'member', viewer: 'viewer' },
  joinUntil: (time: string) => `The invitation is good until ${time}.`,
  join: 'Join',
  joining: 'Joining…',
  yourName: 'Your name',
  newPassword: 'Password',
  passwordHelp: '12 characters or more. A few words that only you put together are easy to remember.',
  passwordShort: (missing: number) =>
    missing === 1 ? '1 character more is needed.' : `${missing} characters more are needed.`,
  language: 'Language',
  languages: { en: 'English', de: 'Deutsch' },
  fixedEmail: 'The invitation is for this address.',

  setupTitle: 'Set up Dealbox',
  setupBody: 'One page, then you are in. You can change all of it later.',
  you: 'You',
  youNote: 'The first owner',
  organisation: 'Organisation',
  organisationNote: 'Name, currency, time zone',
  start: 'Start',
  startNote: 'With sample data, or empty',
  orgName: 'Name of the organisation',
  currency: 'Currency',
  currencyHelp: 'Sums of other currencies stand beside it, never added.',
  timezone: 'Time zone',
  timezoneHelp: 'Taken from this browser. It decides when a day begins.',
  startWith: 'Begin with',
  sample: 'Sample data',
  sampleBody: 'Deals, contacts and tasks of a made-up firm to look around in. One click removes them.',
  empty: 'Empty',
  emptyBody: 'Nothing but the stages of a usual pipeline. Bring your own data by CSV at any time.',
  setUp: 'Set up and sign in',
  settingUp: 'Setting up…',
  preview: 'Your board will look like this',
  stages: ['Qualified', 'Demo', 'Proposal', 'Negotiation'].join('|'),
  backup: 'All data is in one folder on the server. Back it up by copying it, or run "dealbox export".',
  checkFields: (count: number) => (count === 1 ? '1 field needs a look' : `${count} fields need a look`),
}
