/** Texts for a link that leads nowhere any more. */
export const en = {
  used: 'This link was used already',
  usedBody:
    'A link works once. If it was you, sign in with your password. If it was not, tell the person who sent it: they can send a new one and end what was opened with this one.',
  expired: 'This link has expired',
  expiredBody: 'Links work for a limited time. Ask the person who sent it for a new one; nothing else is needed.',
  withdrawn: 'This link was withdrawn',
  withdrawnBody: 'The person who sent it took it back, or may no longer invite. Ask for a new one.',
  unknown: 'This link is not known here',
  unknownBody:
    'It may have been withdrawn, or cut off on its way. Open it exactly as it was sent, or ask for a new one.',
  another: {
    setup: 'On the server, "dealbox serve" prints a new setup link as long as there is no owner.',
    invite: 'An owner or admin makes a new invitation under Settings, Members.',
    sign_in: 'On the server, "dealbox member reset" prints a new sign-in link.',
  },
  toSignIn: 'Go to the sign-in page',
}
