/** Everything that can contain a question mark, and unnumbered parameters (`?1` is numbered). */
const TOKENS = /'[^']*'|"[^"]*"|`[^`]*`|\[[^\]]*\]|--[^\n]*|\/\*[\s\S]*?(?:\*\/|$)|\?(?!\d)/g

/**
 * Rewrites every `?` of a statement as `+?`, so that it is planned once for all values. When SQLite plans a bare
 * parameter, it considers its value, and plans again at each execution in case the value differs: 6 to 19 µs each time
 * (see docs/decisions/004-speed.md). Named parameters stay unchanged: write `@name` for a statement to be planned for
 * each value, and `+@name` for any other.
 */
export function plannedOnce(sql: string): string {
  return sql.replace(TOKENS, (token) => (token === '?' ? '+?' : token))
}
