/** Those that everybody has: they need nothing that stands in for them. */
const ALWAYS = /^(sender\.(name|email|first_name)|org\.name|contact\.email|unsubscribe_url)$/

/**
 * What is put into the text for a variable, and where one writes on: what stands in where it has no value. That is empty at
 * first, which the checks name: a word that stood there by itself would be sent.
 */
export function withVariable(name: string): { text: string; caret: number } {
  const value = `{{${name}}}`
  if (ALWAYS.test(name)) return { text: value, caret: value.length }
  const before = `{{#${name}}}${value}{{/${name}}}{{^${name}}}`
  return { text: `${before}{{/${name}}}`, caret: before.length }
}
