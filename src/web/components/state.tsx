import type { ComponentChildren } from 'preact'
import './state.css'

/** A dot and a word: filled, hollow for what is not yet, a diamond for late or failed. */
export function State({
  is = '',
  children,
}: {
  is?: 'good' | 'warn' | 'late' | 'hollow' | ''
  children: ComponentChildren
}) {
  return <span class={`state ${is}`}>{children}</span>
}
