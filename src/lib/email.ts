/** Emails are compared ignoring case. */
export const emailKey = (email: string): string => email.normalize('NFC').toLowerCase()
