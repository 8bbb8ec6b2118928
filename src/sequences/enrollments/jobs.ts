import type { Deps } from '../../deps.ts'
import type { RunKind } from '../../store/jobs/kinds.ts'
import { SEQUENCE_LOOK } from '../sequences/status-changes.ts'
import { enrollmentEngine } from './engine.ts'
import { ENROLLMENT_STEP, type Planned } from './enrollment-writer.ts'
import { sequenceLook } from './resume.ts'

/** The automatic work of sequences. */
export function sequenceKinds(deps: Deps): RunKind[] {
  const { doStep, giveUp } = enrollmentEngine(deps)
  const look = sequenceLook(deps)

  return [
    {
      kind: ENROLLMENT_STEP,
      atOnce: 2,
      isDated: true,
      run: ({ org, key, payload }) => void doStep(org, key as string, payload as Planned),
      onPermanentFailure: ({ org, key }) => void giveUp(org, key as string),
    },
    { kind: SEQUENCE_LOOK, run: ({ org, key, payload }) => void look(org, key as string, payload as never) },
  ]
}
