import { Icon } from '../../components/icon.tsx'
import { texts } from './texts.ts'
import type { Check } from './wire.ts'

/** What was found before it starts, what has to be mended first. */
export function CheckList({ checks }: { checks: readonly Check[] }) {
  const words = texts()
  const isWell = checks.every(({ level }) => level === 'info')
  return (
    <ul class="seq-checks stack">
      {isWell && (
        <li class="row good">
          <Icon name="check" small />
          {words.allWell}
        </li>
      )}
      {checks.map((check, at) => (
        <li key={at} class={`row ${{ stop: 'late', warn: 'warn', info: 'dim' }[check.level]}`}>
          <Icon name={check.level === 'info' ? 'mail' : 'alert'} small />
          <span>{sentenceOf(check)}</span>
        </li>
      ))}
    </ul>
  )
}

function sentenceOf({ code, step = 0, names = [], mailbox }: Check): string {
  const words = texts()
  if (code === 'no_fallback') return words.noFallback(step + 1, names.map((name) => `{{${name}}}`).join(', '))
  if (code !== 'limits') return words.checks[code]
  return mailbox ? words.limits(mailbox.address, mailbox.daily_limit, mailbox.spacing_s) : ''
}
