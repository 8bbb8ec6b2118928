import { useId, useState } from 'preact/hooks'
import { Button } from '../../../components/button.tsx'
import { boot } from '../../../data/boot.ts'
import type { Member } from '../../../data/types.ts'
import { format } from '../../../lib/locale.ts'
import { texts as workTexts } from '../../../lib/texts/work/texts.ts'
import { askHandOver, changeAway, left, mayHandOver, tomorrow } from './actions.ts'
import { type Counts, kindsOf } from './plan.ts'
import { texts } from './texts.ts'

const listOf = (counts: Counts): string =>
  format.value.list(kindsOf(counts).map((kind) => workTexts().open(kind, counts[kind] as number)))

/** In the panel of a member: whether they are away, what they still have, and handing it over. */
export function WorkPart({ member }: { member: Member }) {
  if (!mayHandOver(member)) return null
  const { id, name, status } = member
  const until = boot.value.away[id]
  const still = status === 'deactivated' ? left.value.get(id) : undefined
  if (status === 'deactivated' && !still) return null
  return (
    <section class="part stack strip">
      {until !== undefined && status === 'active' && <Away key={until} member={member} until={until} />}
      {still && <p>{texts().stillHas(name, listOf(still))}</p>}
      <Button onClick={() => void askHandOver(member, false)}>{texts().button}</Button>
    </section>
  )
}

function Away({ member, until }: { member: Member; until: string }) {
  const id = useId()
  const [date, setDate] = useState(until)
  const words = texts()
  return (
    <>
      <h3>{words.awayUntil(format.value.date(until))}</h3>
      <p class="small mute">{words.awayBody}</p>
      <div class="row away">
        <label class="sr" for={id}>
          {words.backOn}
        </label>
        <input
          id={id}
          class="input"
          type="date"
          min={tomorrow()}
          value={date}
          onInput={(event) => setDate(event.currentTarget.value)}
        />
        {date !== until && date !== '' ? (
          <Button onClick={() => void changeAway(member, date)}>{words.changeDate}</Button>
        ) : (
          <Button onClick={() => void changeAway(member, null)}>{words.backNow}</Button>
        )}
      </div>
    </>
  )
}
