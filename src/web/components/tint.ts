import { page } from '../data/boot.ts'

const TINTS = 6

/** The tint of a member, from 1 on, by the order of joining: the first six have one each. */
export function tintOf(id: string): number {
  const known = page.value
  const at = known?.signed_in ? known.members.findIndex((member) => member.id === id) : 0
  return (Math.max(0, at) % TINTS) + 1
}
