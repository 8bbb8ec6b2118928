import { useState } from 'preact/hooks'
import { Button } from '../../components/button.tsx'
import { ApiProblem } from '../../data/api.ts'
import { base } from '../../lib/base.ts'
import { format } from '../../lib/locale.ts'
import { serverNow } from '../../lib/server-time.ts'
import { DeadLink, isDead } from './dead-link.tsx'
import type { DeadReason } from './dead-page.tsx'
import { Frame } from './frame.tsx'
import { acceptLink, type Link } from './requests.ts'
import { CodeForm, Message } from './sign-in.tsx'
import { texts } from './texts.ts'
import { useLogin } from './use-login.ts'

/** Signs in by a link, with the code of the second factor if there is one. */
export function ByLink({ token, link }: { token: string; link: Link }) {
  const [dead, setDead] = useState<DeadReason | null>(null)
  const accept = async (given: { code?: string }) => {
    try {
      return await acceptLink({ token, ...given })
    } catch (error) {
      if (error instanceof ApiProblem && isDead(error.code)) setDead(error.code)
      throw error
    }
  }
  // The link is used up then: it must not stay in the history.
  const { state, send, goBack } = useLogin(accept, () => location.replace(`${base}/`))
  if (dead) return <DeadLink why={dead} />

  return (
    <Frame>
      {state.isSecondStep ? (
        <CodeForm
          message={state.codeMessage ?? state.message}
          isWorking={state.isWorking}
          onCode={(code) => void send({ code })}
          onBack={goBack}
        />
      ) : (
        <div class="narrow">
          <h1>{link.org_name}</h1>
          <p class="sub">{texts().byLink(link.email ?? '')}</p>
          <Message text={state.message} />
          <Button
            first
            large
            wide
            working={state.isWorking ? texts().signingIn : undefined}
            off={state.wait > 0 ? texts().tooMany(texts().wait(state.wait)) : undefined}
            onClick={() => void send({})}
          >
            {texts().signIn}
          </Button>
          <p class="foot">{texts().linkUntil(format.value.when(link.expires_at, serverNow()))}</p>
        </div>
      )}
    </Frame>
  )
}
