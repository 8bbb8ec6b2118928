// Patterns of parameters, in the syntax that JavaScript, Python, Java, Go and Rust have in common.

/** The pattern of several values of a pattern, separated by commas. */
export const listOf = (pattern: string, most: number): string => `${pattern}(,${pattern}){0,${most - 1}}`

export const either = (patterns: readonly string[]): string => `(${patterns.join('|')})`
export const anchored = (pattern: string): string => `^${pattern}$`
/** For a pattern: names have letters, digits, "_", "-", "." and "*" only. */
export const escaped = (name: string): string => name.replace(/[.*]/g, '\\$&')
