import type { ComponentChildren } from 'preact'
import { useEffect } from 'preact/hooks'
import { Button } from '../components/button.tsx'
import { Empty } from '../components/empty.tsx'
import { ErrorBoundary } from '../components/error-boundary.tsx'
import { connection } from '../data/connection.ts'
import { here } from '../lib/base.ts'
import { isLoading, navigate, shown } from '../lib/router.ts'
import { Bar } from './bar.tsx'
import { commandHints, runCommand } from './commands/listen.ts'
import { home } from './home.ts'
import { texts } from './texts.ts'
import './screen-host.css'

/** Shows the screen at the address. */
export function ScreenHost() {
  const now = shown.value
  if (!now) return null
  return (
    <div class="fill">
      {isLoading.value && <div class="loading-line" role="progressbar" aria-label={texts().loading} />}
      <ErrorBoundary key={now.place.path}>
        {now.kind === 'screen' && <now.Component key={now.place.path} params={now.place.params} />}
        {now.kind === 'missing' && <Missing />}
        {now.kind === 'failed' && <Failed />}
      </ErrorBoundary>
    </div>
  )
}

/** Nothing at this address. Screens show it too, for a record that is not there, and say what may have become of that. */
export function Missing({ children }: { children?: ComponentChildren }) {
  const hints = commandHints('app.palette')
  const { href, label } = home()
  return (
    <div class="nothing">
      <span class="code mute">404</span>
      <h1>{texts().missing}</h1>
      <p class="dim">{children ?? texts().missingBody}</p>
      <div class="row">
        <Button onClick={() => void navigate(href)}>{texts().back(label)}</Button>
        <Button plain icon="search" keys={hints.keys} onClick={() => runCommand('app.palette')}>
          {texts().searchShort}
        </Button>
      </div>
    </div>
  )
}

/**
 * The files of a screen did not arrive: they are asked for again once the connection is there. After an update of the server
 * only a new page finds the new ones.
 */
function Failed() {
  const isLive = connection.value.state === 'live'
  useEffect(() => {
    if (isLive) void again()
  }, [isLive])
  const retry = async () => {
    await again()
    if (shown.peek()?.kind === 'failed' && isLive) location.reload()
  }
  return (
    <>
      <Bar title={texts().failed} />
      <Empty
        icon="off"
        title={texts().failed}
        actions={
          <Button first onClick={() => void retry()}>
            {texts().tryAgain}
          </Button>
        }
      >
        {texts().failedBody}
      </Empty>
    </>
  )
}

const again = () => navigate(here(), { replace: true })
