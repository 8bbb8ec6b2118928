/** What was typed while a text was sent: around it, also by another tab, or in its place. */
export function typedSince(sent: string, now: unknown): string {
  const text = String(now ?? '')
  return text.includes(sent) ? text.replace(sent, () => '').trim() : text.trim() === '' ? '' : text
}
