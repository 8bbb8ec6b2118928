/** The path below which the server is, such as /crm, or ''. Addresses of the app, such as /deals, are without it. */
export const base = globalThis.document?.documentElement.dataset.base ?? ''

/** Path and query of the page, as an address of the app. */
export const here = (): string => (location.pathname + location.search).slice(base.length)

/** An address of the app as other programs need it. */
export const whole = (address: string): string => location.origin + base + address
