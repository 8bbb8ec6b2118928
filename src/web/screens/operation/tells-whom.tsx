import { format } from '../../lib/locale.ts'
import { now } from '../../lib/now.ts'
import { texts } from './texts.ts'
import type { Told } from './wire.ts'

type Way = Told['screen']

/** In which ways owners hear of it, and whether that worked. */
export function TellsWhom({ told: { screen, mail, url } }: { told: Told }) {
  const words = texts()
  const urlWords =
    url.is === 'on' ? (url.host === null ? words.urlHidden : words.urlIs.on(url.host)) : words.urlIs[url.is]
  return (
    <section>
      <h2>{words.toldTitle}</h2>
      <p class="small dim">{words.toldBody}</p>
      <ul class="checks">
        <WayRow name={words.screen} way={screen} isOn />
        <WayRow
          name={words.mail}
          how={words.mailTo[mail.to]}
          way={mail}
          isOn={['owners', 'addresses'].includes(mail.to)}
        />
        <WayRow name={words.url} how={urlWords} way={url} isOn={url.is === 'on'} />
      </ul>
    </section>
  )
}

function WayRow({ name, how, way, isOn }: { name: string; how?: string; way: Way; isOn: boolean }) {
  const words = texts()
  const { told_at, failed_at, error, is_nobody } = way
  const when = (time: string) => format.value.when(time, now.value)
  return (
    <li>
      <span>
        <b class="mid">{name}</b>
        {how && <span class="dim"> {how}</span>}
      </span>
      {isOn && (
        <span class="is small mute">
          {failed_at !== null ? (
            <span class="late">{words.notTold(when(failed_at))}</span>
          ) : is_nobody ? (
            <span class="warn">{words.nobody}</span>
          ) : told_at !== null ? (
            words.toldAt(when(told_at))
          ) : (
            words.never
          )}
        </span>
      )}
      {isOn && error !== null && (
        <p class="small dim" lang="en">
          {error}
        </p>
      )}
    </li>
  )
}
