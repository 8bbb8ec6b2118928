import { useEffect, useState } from 'preact/hooks'
import { nounOf } from '../../lib/pure/nouns.ts'
import { Icon } from '../components/icon.tsx'
import type { PageKind } from '../components/kinds.ts'
import { State } from '../components/state.tsx'
import { pathWith } from '../data/api.ts'
import { client } from '../data/current.ts'
import type { Enrollment, Rec, Sequence } from '../data/types.ts'
import { Section } from './section.tsx'
import { texts } from './texts.ts'

/** The sequences that the contact, or someone about the deal, is in or was in. */
export function Enrollments({ kind, record }: { kind: PageKind; record: Rec }) {
  const [found, setFound] = useState<Enrollment[]>([])
  const [sequences, setSequences] = useState<ReadonlyMap<string, Sequence>>(new Map())
  const key = `${nounOf(kind)}_id`
  useEffect(() => {
    const { api, events } = client()
    let isOver = false
    const read = async () => {
      const { data } = await api.get<{ data: Enrollment[] }>(
        pathWith('/api/v1/enrollments', { [key]: record.id, limit: 10 }),
      )
      if (isOver) return
      setFound(data)
      if (data.length === 0) return
      const all = await api.get<{ data: Sequence[] }>(pathWith('/api/v1/sequences', { limit: 100 }))
      if (!isOver) setSequences(new Map(all.data.map((each) => [each.id, each])))
    }
    // What cannot be read now comes with the next event.
    const again = () => void read().catch(() => undefined)
    again()
    const stop = events.onEvent(({ data: { object } }, of) => {
      if (of === 'enrollments' && (object as unknown as Fields)[key] === record.id) again()
    })
    return () => {
      isOver = true
      stop()
    }
  }, [record.id])
  if (found.length === 0) return null
  return (
    <Section title={texts().enrollments}>
      <ul>
        {found.map((each) => {
          const sequence = sequences.get(each.sequence_id)
          return (
            <li key={each.id} class="row one">
              <Icon name="seq" class="mute" />
              <span class="grow cut" dir="auto">
                {sequence?.name ?? '…'}
              </span>
              <EnrollmentState enrollment={each} steps={sequence?.steps.length} />
            </li>
          )
        })}
      </ul>
    </Section>
  )
}

type Fields = Record<string, unknown>

function EnrollmentState({ enrollment, steps }: { enrollment: Enrollment; steps: number | undefined }) {
  const { status, stop_reason, current_step } = enrollment
  const words = texts()
  if (status === 'active' || status === 'scheduled') {
    return (
      <span class="small">
        <State is="good">{words.step(current_step + 1, steps)}</State>
      </span>
    )
  }
  const reason = stop_reason === null ? '' : words.timeline.stopReason(stop_reason)
  return <span class="small mute">{[words.enrollmentStatus[status], reason].filter(Boolean).join(': ')}</span>
}
