import type { ComponentChildren } from 'preact'
import { useErrorBoundary } from 'preact/hooks'
import { t } from '../lib/texts/texts.ts'
import { Button } from './button.tsx'
import { Empty } from './empty.tsx'

type ErrorBoundaryProps = {
  children: ComponentChildren
  /** Told of the error, once. */
  onError?: ((error: unknown) => void) | undefined
}

/** Keeps a mistake in one part of the page from taking the rest along. */
export function ErrorBoundary({ children, onError }: ErrorBoundaryProps) {
  const [error, again] = useErrorBoundary((thrown) => {
    console.error(thrown)
    onError?.(thrown)
  })
  if (error === undefined) return <>{children}</>
  const { title, text, again: label } = t().crash
  return (
    <Empty
      icon="alert"
      title={title}
      note={<span class="mono">{error instanceof Error ? error.message : String(error)}</span>}
      actions={<Button onClick={again}>{label}</Button>}
    >
      {text}
    </Empty>
  )
}
