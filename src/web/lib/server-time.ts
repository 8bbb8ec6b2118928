// The time of the server, by which everything is said to be late, old or tomorrow: the clock of the visitor may be hours off.

let skew = 0

/** Milliseconds, as the server would say now. */
export const serverNow = (): number => Date.now() + skew

/** Takes what the server has just said: RFC 3339. */
export function hearServer(now: string): void {
  const at = Date.parse(now)
  if (Number.isFinite(at)) skew = at - Date.now() // an older server may not say it
}
