/** Texts of the pages for those who are not signed in. */
export const en = {
  signIn: 'Sign in',
  sub: 'Sign in with your work email.',
  email: 'Email',
  password: 'Password',
  forgot: 'Forgot it?',
  forgotBody:
    'Passwords cannot be read or mailed. Ask an owner for a sign-in link: "dealbox member reset" on the server prints one, and with it you set a new password.',
  capsLock: 'Caps Lock is on.',
  show: 'Show the password',
  hide: 'Hide the password',
  stay: 'Stay signed in on this device',
  noAccount: 'No account yet? Ask an owner of this Dealbox for an invitation.',
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
  tryAgain: 'Try again',

  needsSetup: 'This Dealbox has no owner yet',
  needsSetupBody:
    'Open the setup link that the server printed when it started. It works once and for 24 hours; starting the server again prints a new one.',
}
