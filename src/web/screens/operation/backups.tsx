import { Button } from '../../components/button.tsx'
import { State } from '../../components/state.tsx'
import { format } from '../../lib/locale.ts'
import { now } from '../../lib/now.ts'
import { sizeText } from '../../lib/sizes.ts'
import { texts } from './texts.ts'
import type { Backups as Wire } from './wire.ts'

type BackupsProps = { backups: Wire; onStart: (what: 'backup' | 'drill') => void }

/** The last backup and the last drill, and the way to make one now. */
export function Backups({ backups, onStart }: BackupsProps) {
  const { state, may_start, at, timezone, last, drill, at_work } = backups
  const words = texts()
  const when = (time: string) => format.value.when(time, now.value)
  const working = (what: 'backup' | 'drill'): { working?: string | undefined; off?: string | undefined } => {
    if (!at_work) return {}
    const isThis = at_work.what === what || (what === 'backup' && at_work.what === 'copy')
    return isThis ? { working: words.atWork[at_work.what] } : { off: words.atWork[at_work.what] }
  }
  return (
    <section>
      <h2>{words.backupsTitle}</h2>
      <p class="small dim">
        {state === 'off' ? words.off : state === 'reader' ? words.reader : words.at(at ?? '', timezone ?? '')}
      </p>
      {state !== 'reader' && (
        <dl class="figs">
          <dt>{words.last}</dt>
          <dd>{last ? `${when(last.made_at)}, ${sizeText(last.bytes)}` : words.none}</dd>
          <dt>{words.drill}</dt>
          <dd>
            {drill ? (
              <>
                {when(drill.at)}{' '}
                <State is={drill.is_good ? 'good' : 'late'}>{drill.is_good ? words.passed : words.notPassed}</State>
              </>
            ) : (
              words.none
            )}
          </dd>
        </dl>
      )}
      {may_start ? (
        <>
          <div class="row acts">
            <Button first icon="save" {...working('backup')} onClick={() => onStart('backup')}>
              {words.backupNow}
            </Button>
            <Button icon="server" {...working('drill')} onClick={() => onStart('drill')}>
              {words.drillNow}
            </Button>
          </div>
          <p class="small mute">{words.drillHelp}</p>
        </>
      ) : (
        state === 'on' && <p class="small mute">{words.several}</p>
      )}
    </section>
  )
}
