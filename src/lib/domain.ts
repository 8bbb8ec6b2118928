const HOST = /^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z](?:[a-z0-9-]{0,61}[a-z0-9])$/

/**
 * A host name in DNS form: lower case, other scripts in punycode. Undefined if it is not one, such as an IP address.
 */
export function toDomain(text: string): string | undefined {
  if (/[^a-z0-9.\-\u{80}-\u{10ffff}]/iu.test(text)) return undefined // a URL would end there, or ignore it
  const isPlain = /^[\x21-\x7e]+$/.test(text) && !/xn--/i.test(text)
  const domain = isPlain ? text.toLowerCase() : URL.parse(`http://${text}`)?.hostname
  return domain !== undefined && domain.length <= 253 && HOST.test(domain) ? domain : undefined
}
