import { commandHints, runCommand } from '../commands/listen.ts'
import { Button } from '../components/button.tsx'
import { Empty } from '../components/empty.tsx'
import { ErrorBoundary } from '../components/error-boundary.tsx'
import { isLoading, navigate, shown } from '../router.ts'
import { Bar } from './bar.tsx'
import { home } from './home.ts'
import { texts } from './texts.ts'
import './screen-host.css'

/** Shows the screen at the address. */
export function ScreenHost() {
  const now = shown.value
  if (!now) return null
  return (
    <div class="screen">
      {isLoading.value && <div class="loading-line" role="progressbar" aria-label={texts().loading} />}
      <ErrorBoundary key={now.place.path}>
        {now.kind === 'screen' && <now.Component key={now.place.path} params={now.place.params} />}
        {now.kind === 'missing' && <Missing />}
        {now.kind === 'failed' && <Failed />}
      </ErrorBoundary>
    </div>
  )
}

/** Nothing at this address. Screens show it too, for a record that is not there. */
export function Missing() {
  const hints = commandHints('app.palette')
  const { href, label } = home()
  return (
    <div class="nothing">
      <span class="code mute">404</span>
      <h1>{texts().missing}</h1>
      <p class="dim">{texts().missingBody}</p>
      <div class="row">
        <Button onClick={() => void navigate(href)}>{texts().back(label)}</Button>
        <Button plain icon="search" keys={hints.keys} onClick={() => runCommand('app.palette')}>
          {texts().searchShort}
        </Button>
      </div>
    </div>
  )
}

/** The files of a screen did not arrive: after an update of the server only a new page finds the new ones. */
function Failed() {
  return (
    <>
      <Bar title={texts().failed} />
      <Empty
        icon="off"
        title={texts().failed}
        actions={
          <Button first onClick={() => location.reload()}>
            {texts().tryAgain}
          </Button>
        }
      >
        {texts().failedBody}
      </Empty>
    </>
  )
}
