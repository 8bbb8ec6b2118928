import './pips.css'

type PipsProps = {
  /** How many open stages the pipeline has, and the place of this one, from 1. */
  of: number
  at: number
  outcome?: 'won' | 'lost' | null | undefined
}

/** The place in the pipeline without a colour code. The name of the stage stands beside it. */
export function Pips({ of, at, outcome }: PipsProps) {
  return (
    <span class={outcome ? `pips ${outcome}` : 'pips'} aria-hidden="true">
      {Array.from({ length: of }, (_, index) => (
        <i key={index} class={outcome || index < at ? 'on' : undefined} />
      ))}
    </span>
  )
}
