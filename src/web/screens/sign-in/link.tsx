import type { ComponentChildren } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { Button } from '../../components/button.tsx'
import { later } from '../../components/later.tsx'
import { ApiProblem } from '../../data/api.ts'
import { ByLink } from './by-link.tsx'
import { DeadLink, isDead } from './dead-link.tsx'
import type { DeadReason } from './dead-page.tsx'
import { Frame } from './frame.tsx'
import { silence } from './in-front.tsx'
import { checkLink, type Link } from './requests.ts'
import { texts } from './texts.ts'

const Setup = later(() => import('./setup/setup.tsx').then(({ Setup }) => Setup), { ahead: false })
const Join = later(() => import('./join.tsx').then(({ Join }) => Join), { ahead: false })

type State =
  | { is: 'checking' }
  | { is: 'ready'; link: Link }
  | { is: 'dead'; why: DeadReason }
  | { is: 'silent'; why: ComponentChildren }

/**
 * The page that a setup link, an invitation or a sign-in link opens. Opening one uses nothing up, since programs that
 * look for viruses open it, too, before the person does: a button does.
 */
export function LinkPage() {
  const [token] = useState(() => location.hash.slice(1))
  const [state, setState] = useState<State>({ is: 'checking' })
  const [tries, setTries] = useState(0)

  useEffect(() => {
    setState({ is: 'checking' })
    checkLink(token).then(
      (link) => setState({ is: 'ready', link }),
      (error) => setState(failureOf(error)),
    )
  }, [token, tries])

  if (state.is === 'ready' && state.link.kind === 'setup') return <Setup token={token} />
  if (state.is === 'ready' && state.link.kind === 'invite') return <Join token={token} link={state.link} />
  if (state.is === 'ready') return <ByLink token={token} link={state.link} />
  if (state.is === 'dead') return <DeadLink why={state.why} />
  return (
    <Frame>
      <div class="narrow">
        <h1 class="sr">{texts().signIn}</h1>
        <p class="sub" role="status">
          {state.is === 'silent' ? state.why : texts().checking}
        </p>
        {state.is === 'silent' && <Button onClick={() => setTries(tries + 1)}>{texts().tryAgain}</Button>}
      </div>
    </Frame>
  )
}

/** The link may be right: a proxy changes where the request comes from, or goes to. */
const IN_BETWEEN = [403, 421]

function failureOf(error: unknown): State {
  if (!(error instanceof ApiProblem)) return { is: 'silent', why: silence(error) }
  if (isDead(error.code)) return { is: 'dead', why: error.code }
  if (IN_BETWEEN.includes(error.status)) return { is: 'silent', why: error.message }
  return error.status < 500 ? { is: 'dead', why: 'unknown_link' } : { is: 'silent', why: texts().noAnswer }
}
