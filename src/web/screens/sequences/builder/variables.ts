/** Those that everybody has: they need nothing that stands in for them. */
const ALWAYS = /^(sender\.(name|email|first_name)|org\.name|contact\.email|unsubscribe_url)$/

/** What is put into the text for a variable, and which part of it is chosen then: what stands in where it has no value. */
export function withVariable(name: string, fallback: string): { text: string; from: number; to: number } {
  const value = `{{${name}}}`
  if (ALWAYS.test(name)) return { text: value, from: value.length, to: value.length }
  const before = `{{#${name}}}${value}{{/${name}}}{{^${name}}}`
  return { text: `${before}${fallback}{{/${name}}}`, from: before.length, to: before.length + fallback.length }
}
