import './sla.css'

type SlaProps = {
  state: 'ok' | 'risk' | 'over' | 'met' | 'hold'
  /** The part of the time that is left, 1 to 0. */
  left?: number | undefined
  /** "18 min", "1 h 05 late", "answered", "paused". */
  text: string
  /** What is due and when, in full. */
  title?: string | undefined
}

const AROUND = 31.4

/** The SLA clock: a ring that empties clockwise; its shape says the state too. */
export function Sla({ state, left = 0, text, title }: SlaProps) {
  return (
    <span class={`sla ${state}`} title={title}>
      <svg class="clock" viewBox="0 0 14 14" aria-hidden="true">
        <Face state={state} left={left} />
      </svg>
      {text}
    </span>
  )
}

function Face({ state, left }: { state: SlaProps['state']; left: number }) {
  if (state === 'over') {
    return (
      <>
        <circle class="d" cx="7" cy="7" r="6" />
        <path d="M7 4v3.4M7 9.7v.1" />
      </>
    )
  }
  if (state === 'met' || state === 'hold') {
    return (
      <>
        <circle class="r" cx="7" cy="7" r="5.6" />
        <path d={state === 'met' ? 'm4.6 7.2 1.6 1.6 3-3.5' : 'M5.7 5v4M8.3 5v4'} />
      </>
    )
  }
  return (
    <>
      <circle class="t" cx="7" cy="7" r="5" />
      <circle class="p" cx="7" cy="7" r="5" stroke-dasharray={`${(left * AROUND).toFixed(1)} ${AROUND}`} />
    </>
  )
}
