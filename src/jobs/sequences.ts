import type { Deps } from '../resources/deps.ts'
import { enrollmentEngine } from '../resources/sequences/engine.ts'
import { ENROLLMENT_STEP, type Planned } from '../resources/sequences/keeping.ts'
import { SEQUENCE_LOOK, sequenceLook } from '../resources/sequences/resume.ts'
import type { RunKind } from './kinds.ts'

/** What sequences do by themselves. */
export function sequenceKinds(deps: Deps): RunKind[] {
  const { doStep, giveUp } = enrollmentEngine(deps)
  const look = sequenceLook(deps)

  return [
    {
      kind: ENROLLMENT_STEP,
      atOnce: 2,
      isDated: true,
      run: ({ org, key, payload }) => void doStep(org, key as string, payload as Planned),
      givenUp: ({ org, key }) => void giveUp(org, key as string),
    },
    { kind: SEQUENCE_LOOK, run: ({ org, key, payload }) => void look(org, key as string, payload as never) },
  ]
}
