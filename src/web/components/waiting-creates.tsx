import { useEffect, useState } from 'preact/hooks'
import type { Kind } from '../data/types.ts'
import { writes } from '../data/writes.ts'
import { t } from '../lib/texts/texts.ts'
import { Icon } from './icon.tsx'
import './waiting-creates.css'

/** What the server answers by then is in its list already. */
const SOON_MS = 400

/** What I made and the server does not have yet, by title: there is no record to show it as. */
export function WaitingCreates({ kind }: { kind: Kind }) {
  const waiting = writes.value.filter((write) => write.verb === 'create' && write.kind === kind)
  const isAny = waiting.length > 0
  const [isLate, setLate] = useState(false)
  useEffect(() => {
    if (!isAny) return setLate(false)
    const timer = setTimeout(() => setLate(true), SOON_MS)
    return () => clearTimeout(timer)
  }, [isAny])
  if (!isAny || !isLate) return null
  return (
    <div class="waiting-creates mute" role="status">
      {waiting.map(({ key, body, isWaiting }) => (
        <p class="row" key={key}>
          <Icon name="clock" small />
          <span class="cut grow" dir="auto">
            {String(body.title)}
          </span>
          <span class="small">{isWaiting ? t().waiting : t().saving}</span>
        </p>
      ))}
    </div>
  )
}
