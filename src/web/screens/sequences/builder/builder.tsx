import type { Listed, SequenceShown } from '../wire.ts'

type BuilderProps = { sequence: SequenceShown; known: Listed; again: () => Promise<void>; onClose: () => void }
export function Builder({ sequence }: BuilderProps) {
  return <p>{sequence.name}</p>
}
