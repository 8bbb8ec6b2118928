/** What can hold a question mark that is no parameter, and a parameter without a name (`?1` has one). */
const TOKENS = /'[^']*'|"[^"]*"|`[^`]*`|\[[^\]]*\]|--[^\n]*|\/\*[\s\S]*?(?:\*\/|$)|\?(?!\d)/g

/**
 * Writes every `?` of a statement as `+?`, so that it is planned once, for all values. SQLite looks at the value behind a
 * bare parameter when it plans, and plans again at each execution, since the value may be another: 6 to 19 µs each time
 * (see docs/decisions/004-speed.md). One with a name stays as it is: write `@name` for a statement that is to be planned
 * for each value, and `+@name` for one that is not.
 */
export function plannedOnce(sql: string): string {
  return sql.replace(TOKENS, (token) => (token === '?' ? '+?' : token))
}
