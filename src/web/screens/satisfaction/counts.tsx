import type { Counts } from '../../../mail/satisfaction/ratings.ts'
import { memberName } from '../../data/boot.ts'
import { format } from '../../lib/locale.ts'
import { useAsk } from '../../shell/pages/ask.ts'
import { Section } from '../../shell/pages/sheet.tsx'
import { texts } from './texts.ts'

/** What customers answered in the last twelve months, by the member who wrote to them. */
export function CountTable() {
  const words = texts()
  const rows = useAsk<{ data: (Counts & { month: string })[] }>('/app/satisfaction/counts', ['conversations']).value
    ?.data
  if (!rows) return null
  const byMember = [...Map.groupBy(rows, ({ member_id }) => member_id)].map(([id, own]) => ({
    id,
    asked: sum(own.map((each) => each.asked)),
    good: sum(own.map((each) => each.good)),
    not_good: sum(own.map((each) => each.not_good)),
  }))
  return (
    <Section title={words.counts}>
      {byMember.length === 0 ? (
        <p class="mute">{words.none}</p>
      ) : (
        <table class="rated">
          <thead>
            <tr>
              <th scope="col">{words.member}</th>
              <th scope="col">{words.asked}</th>
              <th scope="col">{words.isGood}</th>
              <th scope="col">{words.isNotGood}</th>
            </tr>
          </thead>
          <tbody>
            {byMember.map((row) => (
              <tr key={row.id}>
                <th scope="row">{(row.id && memberName(row.id)) || words.nobody}</th>
                {[row.asked, row.good, row.not_good].map((count, at) => (
                  <td key={at}>{format.value.number(count)}</td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </Section>
  )
}

const sum = (counts: readonly number[]): number => counts.reduce((all, count) => all + count, 0)
