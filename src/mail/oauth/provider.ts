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
}

const MICROSOFT = 'https://login.microsoftonline.com'

/**
 * Microsoft 365. A public client: it has no secret, and the app registration allows public client flows. The scopes are
 * full addresses, because those of Microsoft Graph are for another audience.
 */
export const microsoft = (tenant: string, clientId: string): OAuthClient => ({
  flow: 'device',
  startUrl: `${MICROSOFT}/${encodeURIComponent(tenant)}/oauth2/v2.0/devicecode`,
  tokenUrl: `${MICROSOFT}/${encodeURIComponent(tenant)}/oauth2/v2.0/token`,
  clientId,
  clientSecret: null,
  secretIn: 'form',
  scope: ['IMAP.AccessAsUser.All', 'SMTP.Send']
    .map((name) => `https://outlook.office.com/${name}`)
    .join(' ')
    .concat(' offline_access'),
  extra: {},
})

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
})
