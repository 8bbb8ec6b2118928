// A note mentions a member as `@[Ana Ruiz](member:ID)`: a link in Markdown, so that other programs show the name.

const MENTION = /@\[[^\]\n]{1,255}\]\(member:([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})\)/g
/** More mentions in one note tell nobody. */
const MAX_MENTIONS = 50

/** Returns the ids of the members that a note mentions, without duplicates. */
export function mentionsIn(body: string): string[] {
  const found = new Set<string>()
  for (const [, id] of body.matchAll(MENTION)) {
    found.add(id as string)
    if (found.size === MAX_MENTIONS) break
  }
  return [...found]
}
