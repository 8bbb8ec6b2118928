import type { ComponentChildren } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { Button } from '../../components/button.tsx'
import { Check } from '../../components/check.tsx'
import { Icon } from '../../components/icon.tsx'
import { page } from '../../data/boot.ts'
import { PasswordField, TextField } from './fields.tsx'
import { Frame } from './frame.tsx'
import { login } from './requests.ts'
import { texts } from './texts.ts'
import { useLogin } from './use-login.ts'

/** The sign-in page. It stands at the address that was asked for, which comes after it. */
export function SignIn() {
  const boot = page.value
  const [email, setEmail] = useState('')
  const [password, setPassword] = useState('')
  const [stay, setStay] = useState(true)
  const [isForgotten, setForgotten] = useState(false)
  const [missing, setMissing] = useState<'email' | 'password' | null>(null)
  const form = useRef<HTMLFormElement>(null)
  const { state, send, goBack } = useLogin(login, () => location.reload())

  if (boot?.signed_in === false && boot.needs_setup) return <NeedsSetup />
  if (state.isSecondStep) {
    return (
      <Frame>
        <CodeForm
          message={state.codeMessage ?? state.message}
          isWorking={state.isWorking}
          onCode={(code) => void send({ email, password, stay, code })}
          onBack={goBack}
        />
      </Frame>
    )
  }

  function submit(event: Event): void {
    event.preventDefault()
    const first = email.trim() === '' ? 'email' : password === '' ? 'password' : null
    setMissing(first)
    if (first) form.current?.querySelector<HTMLInputElement>(`[name=${first}]`)?.focus()
    else void send({ email: email.trim(), password, stay })
  }

  return (
    <Frame>
      <form ref={form} class="narrow" noValidate onSubmit={submit}>
        <h1>Dealbox</h1>
        <p class="sub">{texts().sub}</p>
        <Message text={state.message} />
        <div class="f">
          <TextField
            label={texts().email}
            name="email"
            type="email"
            autocomplete="username"
            autofocus
            value={email}
            onValue={setEmail}
            error={missing === 'email' ? texts().needEmail : undefined}
          />
        </div>
        <div class="f">
          <PasswordField
            label={texts().password}
            name="password"
            autocomplete="current-password"
            value={password}
            onValue={setPassword}
            error={missing === 'password' ? texts().required(texts().password) : undefined}
            aside={
              <button type="button" aria-expanded={isForgotten} onClick={() => setForgotten(!isForgotten)}>
                {texts().forgot}
              </button>
            }
          />
          {isForgotten && <p class="foot">{texts().forgotBody}</p>}
        </div>
        <div class="f">
          <Check checked={stay} onChange={setStay}>
            {texts().stay}
          </Check>
        </div>
        <Button
          type="submit"
          first
          large
          wide
          working={state.isWorking ? texts().signingIn : undefined}
          off={state.wait > 0 ? texts().tooMany(texts().wait(state.wait)) : undefined}
        >
          {texts().signIn}
        </Button>
        <p class="foot">{texts().noAccount}</p>
      </form>
    </Frame>
  )
}

type CodeFormProps = {
  message: ComponentChildren
  isWorking: boolean
  onCode: (code: string) => void
  onBack: () => void
}

/** The second step: a code of the authenticator app, or a recovery code. */
export function CodeForm({ message, isWorking, onCode, onBack }: CodeFormProps) {
  const [code, setCode] = useState('')
  return (
    <form
      class="narrow"
      noValidate
      onSubmit={(event) => {
        event.preventDefault()
        if (code.trim() !== '') onCode(code.trim())
      }}
    >
      <h1>{texts().codeTitle}</h1>
      <p class="sub">{texts().codeBody}</p>
      <div class="f">
        <TextField
          label={texts().code}
          name="code"
          autocomplete="one-time-code"
          autofocus
          value={code}
          onValue={setCode}
          error={message ?? undefined}
        />
      </div>
      <Button type="submit" first large wide working={isWorking ? texts().signingIn : undefined}>
        {texts().continue}
      </Button>
      <p class="foot">
        <Button plain onClick={onBack}>
          {texts().back}
        </Button>
      </p>
    </form>
  )
}

/** What went wrong with the whole form; it is read out. */
export function Message({ text }: { text: ComponentChildren }) {
  const ref = useRef<HTMLDivElement>(null)
  useEffect(() => {
    if (text !== null) ref.current?.scrollIntoView({ block: 'nearest' })
  }, [text])
  return (
    <div role="alert" ref={ref}>
      {text !== null && (
        <p class="wrong">
          <Icon name="alert" small />
          <span>{text}</span>
        </p>
      )}
    </div>
  )
}

function NeedsSetup() {
  return (
    <Frame>
      <div class="narrow">
        <h1>{texts().needsSetup}</h1>
        <p class="sub">{texts().needsSetupBody}</p>
        <Button onClick={() => location.reload()}>{texts().tryAgain}</Button>
      </div>
    </Frame>
  )
}
