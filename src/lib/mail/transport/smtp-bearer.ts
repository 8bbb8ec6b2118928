import type SMTPConnection from 'nodemailer/lib/smtp-connection'

/** The name under which the login by access token is known to the library, which itself has only XOAUTH2. */
export const BEARER = 'BEARER'

/**
 * Logs in with an access token: by XOAUTH2, which all large providers have, else by its successor OAUTHBEARER (RFC 7628).
 * A server that refuses sends its reason as a challenge first; the answer to that ends the exchange.
 */
export async function bearerLogin({
  auth: { user, pass },
  authMethods,
  sendCommand,
}: SMTPConnection.CustomAuthenticationContext): Promise<boolean> {
  const isOld = authMethods.includes('XOAUTH2')
  const words = [isOld ? `user=${user}` : `n,a=${nameOf(user ?? '')},`, `auth=Bearer ${pass}`, '', ''].join('\x01')
  const command = `AUTH ${isOld ? 'XOAUTH2' : 'OAUTHBEARER'} ${Buffer.from(words).toString('base64')}`
  const { status } = await sendCommand(command)
  if (status === 235) return true
  if (status === 334) await sendCommand(isOld ? '' : 'AQ==')
  throw new Error('The login was rejected.') // the library adds the last response
}

/** RFC 5801: two characters of a name are escaped. */
const nameOf = (user: string): string => user.replaceAll('=', '=3D').replaceAll(',', '=2C')
