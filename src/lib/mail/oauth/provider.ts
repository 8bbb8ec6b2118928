/** How Dealbox signs in at a provider of OAuth 2.0, in the name of the person to whom the mailbox belongs. */
export type OAuthClient = {
  /** `device`: the person types a code at the provider (RFC 8628). `browser`: the person pastes an address here. */
  flow: 'device' | 'browser'
  /** Where the flow begins: the device authorization endpoint, or the page that the person opens. */
  startUrl: string
  tokenUrl: string
  clientId: string
  /** Null for a public client. */
  clientSecret: string | null
  /** Where the provider expects the secret: in the form, or in the header Authorization. */
  secretIn: 'form' | 'header'
  scope: string
  /** Further parameters of the request with which the flow begins. */
  extra: Record<string, string>
  /**
   * Where the provider sends the browser (RFC 8252). Nobody listens there: the page does not open, but its address
   * contains the code, and the person pastes it. So it works from another machine, too, and Dealbox needs no address
   * that the provider knows.
   */
  redirectUrl: string
}

const MICROSOFT = 'https://login.microsoftonline.com'
const MAIL = 'https://outlook.office.com'
/** RFC 8252 advises against "localhost". */
const REDIRECT = 'http://127.0.0.1:51827/'

/**
 * Microsoft 365. A public client: it has no secret, and the app registration allows public client flows. The scopes are
 * full addresses, because those of Microsoft Graph are for another audience. Directories that nobody used the device flow
 * in have it blocked by a policy of Microsoft; for those there is the other one.
 */
export const microsoft = (tenant: string, clientId: string, flow: OAuthClient['flow'] = 'device'): OAuthClient => {
  const endpoint = (name: string) => `${MICROSOFT}/${encodeURIComponent(tenant)}/oauth2/v2.0/${name}`
  return {
    flow,
    startUrl: endpoint(flow === 'device' ? 'devicecode' : 'authorize'),
    tokenUrl: endpoint('token'),
    clientId,
    clientSecret: null,
    secretIn: 'form',
    scope: `${MAIL}/IMAP.AccessAsUser.All ${MAIL}/SMTP.Send offline_access`,
    extra: {},
    redirectUrl: 'http://localhost:51827', // of its loopback addresses, the one that can be registered in the portal
  }
}

/**
 * Google. Its device flow allows a few scopes, and that of mail is not among them, so the person opens a page instead.
 * Only with `access_type` and `prompt` there is a refresh token, also the second time.
 */
export const google = (clientId: string, clientSecret: string | null): OAuthClient => ({
  flow: 'browser',
  startUrl: 'https://accounts.google.com/o/oauth2/v2/auth',
  tokenUrl: 'https://oauth2.googleapis.com/token',
  clientId,
  clientSecret,
  secretIn: 'form',
  scope: 'https://mail.google.com/',
  extra: { access_type: 'offline', prompt: 'consent' },
  redirectUrl: REDIRECT,
})

type Other = Pick<OAuthClient, 'flow' | 'startUrl' | 'tokenUrl' | 'clientId' | 'clientSecret'> & {
  scopes: readonly string[]
}

/** Any other provider. RFC 6749 (2.3.1) requires it to accept a secret in the header. */
export const otherProvider = ({ scopes, ...rest }: Other): OAuthClient => ({
  ...rest,
  secretIn: 'header',
  scope: scopes.join(' '),
  extra: { prompt: 'consent' }, // OpenID Connect gives no offline access without
  redirectUrl: REDIRECT,
})
