import type { ComponentChildren } from 'preact'
import { useId } from 'preact/hooks'

type SectionProps = {
  title: string
  count?: string | undefined
  /** What adds to it, at the right. */
  add?: ComponentChildren
  children: ComponentChildren
}

/** One kind of related things: its heading, how many, what adds one, and they themselves. */
export function Section({ title, count, add, children }: SectionProps) {
  const id = useId()
  return (
    <section aria-labelledby={id}>
      <div class="panel-h row">
        <h2 id={id}>{title}</h2>
        {count !== undefined && <span class="n">{count}</span>}
        <span class="grow" />
        {add}
      </div>
      {children}
    </section>
  )
}
