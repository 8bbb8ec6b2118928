import { useState } from 'preact/hooks'
import { Button } from '../../components/button.tsx'
import { Dialog } from '../../components/dialog.tsx'
import { State } from '../../components/state.tsx'
import { showToast } from '../../components/toast.tsx'
import { me } from '../../data/boot.ts'
import { client } from '../../data/current.ts'
import { copyText } from '../../lib/clipboard.ts'
import { t } from '../../lib/texts/texts.ts'
import { words } from '../../lib/texts/words/texts.ts'
import { attempt } from '../../shell/pages/attempt.ts'
import { svgUrl } from '../../shell/pages/link-card.tsx'
import { Section } from '../../shell/pages/sheet.tsx'
import { PasswordField, TextField } from '../sign-in/fields.tsx'
import { useForm } from '../sign-in/setup/use-form.ts'
import { Message } from '../sign-in/sign-in.tsx'
import { noteMe } from './note-me.ts'
import { texts } from './texts.ts'

type Proposed = { secret: string; url: string; qr_svg: string }

/** Codes of an authenticator app as a second factor: turned on by the password and a code, turned off by the password. */
export function SecondFactor() {
  const [proposed, setProposed] = useState<Proposed | null>(null)
  const [codes, setCodes] = useState<string[] | null>(null)
  const [isAsking, setAsking] = useState(false)
  const isOn = me.value.totp

  async function propose(password: object): Promise<void> {
    const { body } = await client().api.request<Proposed>('POST', '/app/totp', { body: password })
    setProposed(body)
  }

  async function remove(password: object): Promise<void> {
    await client().api.request('DELETE', '/app/totp', { body: password })
    noteMe({ totp: false })
  }

  function turnOn(): void {
    if (me.value.has_password) setAsking(true)
    else void attempt(() => propose({}))
  }

  return (
    <Section
      class="second-factor"
      title={texts().twoFactor}
      text={<State is={isOn ? 'good' : 'hollow'}>{isOn ? texts().totpOn : texts().totpOff}</State>}
    >
      {codes ? (
        <RecoveryCodes codes={codes} onDone={() => setCodes(null)} />
      ) : proposed ? (
        <Confirm
          proposed={proposed}
          onDone={(made) => {
            setProposed(null)
            setCodes(made)
            noteMe({ totp: true })
          }}
        />
      ) : (
        <p class="acts">
          {isOn ? (
            <Button danger onClick={() => setAsking(true)}>
              {texts().turnOff}
            </Button>
          ) : (
            <Button onClick={turnOn}>{texts().turnOn}</Button>
          )}
        </p>
      )}
      {isAsking && <Ask isOn={isOn} send={isOn ? remove : propose} onClose={() => setAsking(false)} />}
    </Section>
  )
}

function Confirm({ proposed, onDone }: { proposed: Proposed; onDone: (codes: string[]) => void }) {
  const [code, setCode] = useState('')
  const form = useForm(async () => {
    const { body } = await client().api.request<{ recovery_codes: string[] }>('POST', '/app/totp/confirm', {
      body: { code: code.trim() },
    })
    onDone(body.recovery_codes)
  })
  return (
    <form class="totp" noValidate ref={form.ref} onSubmit={form.submit({ '/code': code })}>
      <img class="qr" src={svgUrl(proposed.qr_svg)} width="148" height="148" alt={texts().qr} />
      <div>
        <h3>{texts().scan}</h3>
        <p class="small mute">{texts().scanBody}</p>
        <code>{proposed.secret.replace(/(.{4})(?=.)/g, '$1 ')}</code>
        <Message text={form.message} />
        <TextField
          label={texts().confirmCode}
          {...form.field('/code', code, setCode)}
          autocomplete="one-time-code"
          autofocus
        />
        <Button type="submit" large first working={form.isWorking ? t().saving : undefined}>
          {texts().confirm}
        </Button>
      </div>
    </form>
  )
}

function RecoveryCodes({ codes, onDone }: { codes: string[]; onDone: () => void }) {
  const text = codes.join('\n')
  const file = `data:text/plain;charset=utf-8,${encodeURIComponent(`Dealbox, ${location.host}, ${me.value.email}\n\n${text}\n`)}`
  return (
    <div class="recovery stack" role="status">
      <h3>{texts().recovery}</h3>
      <p class="dim">{texts().recoveryBody}</p>
      <ul>
        {codes.map((code) => (
          <li key={code}>
            <code>{code}</code>
          </li>
        ))}
      </ul>
      <div class="row">
        <Button icon="copy" onClick={() => void copyText(text).then(() => showToast({ text: texts().copied }))}>
          {words().copy}
        </Button>
        <a class="btn" href={file} download="dealbox-recovery-codes.txt">
          {texts().download}
        </a>
        <Button first onClick={onDone}>
          {texts().kept}
        </Button>
      </div>
    </div>
  )
}

type AskProps = { isOn: boolean; send: (password: object) => Promise<void>; onClose: () => void }

/** Asks for the password, if there is one: whoever uses a session that somebody left open does not know it. */
function Ask({ isOn, send, onClose }: AskProps) {
  const [password, setPassword] = useState('')
  const hasPassword = me.value.has_password
  const form = useForm(async () => {
    await send(hasPassword ? { password } : {})
    onClose()
  })
  return (
    <Dialog
      title={isOn ? texts().turnOffTitle : texts().turnOnTitle}
      alert
      onClose={onClose}
      footer={
        <>
          <Button plain large onClick={onClose}>
            {isOn ? texts().keepOn : texts().keepOff}
          </Button>
          <Button
            type="submit"
            form="second-factor"
            first
            danger={isOn}
            large
            working={form.isWorking ? t().saving : undefined}
          >
            {isOn ? texts().turnOff : texts().turnOn}
          </Button>
        </>
      }
    >
      <form
        id="second-factor"
        noValidate
        ref={form.ref}
        onSubmit={form.submit(hasPassword ? { '/password': password } : {})}
      >
        <p class="dim">{isOn ? texts().turnOffBody : texts().turnOnBody}</p>
        <Message text={form.message} />
        {hasPassword && (
          <PasswordField
            label={texts().current}
            {...form.field('/password', password, setPassword)}
            autocomplete="current-password"
            autofocus
          />
        )}
      </form>
    </Dialog>
  )
}
