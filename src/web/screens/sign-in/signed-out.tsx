import { useState } from 'preact/hooks'
import { Button } from '../../components/button.tsx'
import { Dialog } from '../../components/dialog.tsx'
import { boot, me } from '../../data/boot.ts'
import { signedIn } from '../../data/browser.ts'
import { isSignedOut } from '../../data/connection.ts'
import { client } from '../../data/current.ts'
import type { SignedIn } from '../../data/types.ts'
import { writes } from '../../data/writes.ts'
import { base } from '../../lib/base.ts'
import { texts } from '../../shell/texts.ts'
import { PasswordField, TextField } from './fields.tsx'
import { login } from './requests.ts'
import { texts as formTexts } from './texts.ts'
import { useLogin } from './use-login.ts'

/**
 * The session ended while somebody works: the page stays as it is, with what was typed, and asks for the password. Then it
 * sends what waits.
 */
export function SignedOut() {
  return isSignedOut.value ? <AskAgain /> : null
}

function AskAgain() {
  const [password, setPassword] = useState('')
  const [code, setCode] = useState('')
  const { state, send } = useLogin(login, goOn)
  const { email, name } = me.value

  function submit(event: Event): void {
    event.preventDefault()
    if (password === '') return
    void send({ email, password, code: state.isSecondStep ? code.trim() : undefined })
  }

  return (
    <Dialog
      title={texts().signedOutTitle}
      alert
      onClose={() => undefined}
      footer={
        <>
          <Button plain large onClick={() => location.assign(`${base}/`)}>
            {texts().asOther}
          </Button>
          <Button
            type="submit"
            form="sign-in-again"
            first
            large
            working={state.isWorking ? formTexts().signingIn : undefined}
            off={state.wait > 0 ? formTexts().tooMany(formTexts().wait(state.wait)) : undefined}
          >
            {formTexts().signIn}
          </Button>
        </>
      }
    >
      <form id="sign-in-again" class="again" noValidate onSubmit={submit}>
        <p class="dim">{texts().signedOutBody(writes.value.length)}</p>
        <p class="who">
          <b class="mid">{name}</b>, {email}, {boot.value.org.name}
        </p>
        {/* Password managers look for the name. */}
        <input type="hidden" name="email" autocomplete="username" value={email} />
        <PasswordField
          label={formTexts().password}
          name="password"
          autocomplete="current-password"
          autofocus
          value={password}
          onValue={setPassword}
          error={state.message ?? undefined}
        />
        {state.isSecondStep && (
          <TextField
            label={formTexts().code}
            name="code"
            autocomplete="one-time-code"
            autofocus
            value={code}
            onValue={setCode}
            help={formTexts().codeBody}
            error={state.codeMessage ?? undefined}
          />
        )}
      </form>
    </Dialog>
  )
}

/** The same member goes on where they were; for another one the page begins anew. */
function goOn(memberId: string): void {
  if (memberId !== me.peek().id) {
    location.reload()
    return
  }
  void client()
    .api.get<SignedIn>('/app/boot')
    .then(signedIn, () => client().signedIn())
}
