import { Avatar } from '../components/avatar.tsx'
import { memberName } from '../data/boot.ts'
import { presentAt } from '../data/presence.ts'
import type { Kind } from '../data/types.ts'
import { format } from '../lib/locale.ts'
import { texts } from './texts.ts'

/** Who else looks at a record: stands among the actions of the bar. */
export function Present({ kind, id }: { kind: Kind; id: string }) {
  const members = [...new Set(presentAt(kind, id).value.map(({ member_id }) => member_id))]
  if (members.length === 0) return null
  const names = members.map((member) => memberName(member) ?? '')
  return (
    <span class="row" role="img" aria-label={texts().present(format.value.list(names))}>
      {members.map((member, index) => (
        <Avatar key={member} kind="member" id={member} name={names[index]} />
      ))}
    </span>
  )
}
