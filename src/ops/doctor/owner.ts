import { lstatSync, statSync } from 'node:fs'

/**
 * As root, acts as the user whom a folder belongs to, until the function that this returns is called. Whoever has taken over
 * the server may put links in the place of its files at any time: they then lead to nothing that is not theirs anyway.
 */
export function actAsOwnerOf(folder: string): () => void {
  const here = lstatSync(folder, { throwIfNoEntry: false })
  // A link of root can be trusted, and stands for the folder behind it.
  const owner = here?.uid === 0 ? statSync(folder, { throwIfNoEntry: false }) : here
  if (process.geteuid?.() !== 0 || !owner || owner.uid === 0) return () => undefined
  const [groups = [], group = 0] = [process.getgroups?.(), process.getegid?.()]
  process.setgroups?.([owner.gid])
  process.setegid?.(owner.gid)
  process.seteuid?.(owner.uid)
  return () => {
    process.seteuid?.(0)
    process.setegid?.(group)
    process.setgroups?.(groups)
  }
}
