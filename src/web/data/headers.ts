// Every answer of the server brings back what the request sent under this name (src/http/answer.ts). A gate, a firewall, or a
// proxy whose server is gone does not know of it, and what a cache has kept brings back that of another request.

export const ECHO = 'Dealbox-Echo'

export const newEcho = (): string => `e${Math.random().toString(36).slice(2)}`

/** Whether the answer is the server's own. A proxy may have taken the header from the request. */
export const isOwn = (headers: { get(name: string): string | null }, echo: string): boolean =>
  [echo, 'none'].includes(headers.get(ECHO) ?? '')

/** What each request says of its page: see src/site/sessions/access.ts. */
export const MEMBER = 'Dealbox-Member'
export const BACKGROUND = 'Dealbox-Background'
