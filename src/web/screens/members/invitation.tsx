import { useId, useRef } from 'preact/hooks'
import { Button } from '../../components/button.tsx'
import { Icon } from '../../components/icon.tsx'
import { Segmented } from '../../components/segmented.tsx'
import { showToast } from '../../components/toast.tsx'
import { BegunBefore, useBegun } from '../../components/typed/begun.tsx'
import { memberName } from '../../data/boot.ts'
import { copyText } from '../../lib/clipboard.ts'
import { format } from '../../lib/locale.ts'
import { now } from '../../lib/now.ts'
import { TextField } from '../sign-in/fields.tsx'
import { useForm } from '../sign-in/setup/use-form.ts'
import { Message } from '../sign-in/sign-in.tsx'
import { failed, givableRoles, type Invite, invite, type NewInvite, type Role, renew, withdraw } from './actions.ts'
import { texts } from './texts.ts'

/** Whom to invite: an address is not needed, since the link is what counts. */
export function InviteForm({ onMade, onCancel }: { onMade: (made: NewInvite) => void; onCancel: () => void }) {
  const begun = useBegun('invite', { email: '', role: 'member' as Role })
  const { email, role } = begun.values
  const form = useForm(async () => {
    const made = await invite({ email: email.trim() === '' ? null : email.trim(), role })
    begun.clear()
    onMade(made)
  })
  return (
    <form
      class="inv-form"
      noValidate
      ref={form.ref}
      onSubmit={form.submit(email.trim() === '' ? {} : { '/email': email })}
    >
      <div class="panel-h">
        <h2>{texts().invitation}</h2>
      </div>
      <Message text={form.message} />
      <BegunBefore form={begun.form} />
      <TextField
        label={texts().email}
        {...form.field('/email', email, (email) => begun.set({ email }))}
        type="email"
        autocomplete="off"
        autofocus
        help={texts().emailHelp}
      />
      <div>
        <span class="label">{texts().role}</span>
        <Segmented
          label={texts().role}
          value={role}
          choices={givableRoles().map((value) => ({ value, label: texts().roles[value] }))}
          onChange={(role) => begun.set({ role })}
        />
        <p class="help">{texts().roleNotes[role]}</p>
      </div>
      <div class="row">
        <Button type="submit" large working={form.isWorking ? texts().making : undefined}>
          {texts().makeLink}
        </Button>
        <Button plain large onClick={onCancel}>
          {texts().cancel}
        </Button>
      </div>
    </form>
  )
}

/** A new invitation with its link, which is shown this once. */
export function MadeCard({ invite: made, onWithdrawn }: { invite: NewInvite; onWithdrawn: () => void }) {
  const input = useRef<HTMLInputElement>(null)
  const id = useId()
  const picture = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(made.qr_svg)}`

  async function copy(): Promise<void> {
    try {
      await copyText(made.url)
      showToast({ text: texts().copied })
    } catch {
      input.current?.select()
      showToast({ kind: 'error', text: texts().notCopied })
    }
  }

  return (
    <>
      <div class="panel-h">
        <h2>{texts().invitation}</h2>
        <span class="n">{[made.email, texts().roles[made.role]].filter(Boolean).join(', ')}</span>
      </div>
      <div class="inv" role="status">
        <div>
          <h3>{texts().send}</h3>
          <p class="dim">{texts().sendBody(format.value.when(made.expires_at, now.value), made.email)}</p>
          <div class="lk">
            <label class="sr" for={id}>
              {texts().link}
            </label>
            <input
              ref={input}
              id={id}
              type="text"
              readOnly
              value={made.url}
              onFocus={(event) => event.currentTarget.select()}
            />
            <Button large icon="copy" onClick={() => void copy()}>
              {texts().copy}
            </Button>
          </div>
          {made.warning === 'loopback' ? (
            <p class="small warn-note">
              <Icon name="alert" small />
              {texts().loopback(new URL(made.url).port || '80')}
            </p>
          ) : (
            <p class="small dim">{texts().reachable(new URL(made.url).host)}</p>
          )}
          <div class="row acts">
            <Button
              plain
              danger
              onClick={() => void withdraw(made).then(() => said(texts().withdrawn, onWithdrawn), failed)}
            >
              {texts().withdraw}
            </Button>
          </div>
        </div>
        <figure>
          <img class="qr" src={picture} width="148" height="148" alt={texts().qr} />
          <figcaption class="small mute">{texts().qrHelp}</figcaption>
        </figure>
      </div>
    </>
  )
}

/** An open invitation, whose link was shown when it was made. */
export function InviteCard({ invite: open, onMade }: { invite: Invite; onMade: (made: NewInvite) => void }) {
  const by = open.invited_by === null ? undefined : memberName(open.invited_by)
  const at = format.value.when(open.created_at, now.value)
  return (
    <>
      <div class="panel-h">
        <h2>{texts().invitation}</h2>
        <span class="n">
          {[open.email, texts().invitedBy(texts().roles[open.role], by, at)].filter(Boolean).join(', ')}
        </span>
      </div>
      <div class="inv without-code">
        <div>
          <p class="dim">{texts().hidden}</p>
          <div class="row acts">
            <Button onClick={() => void renew(open).then(onMade, failed)}>{texts().newLink}</Button>
            <Button plain danger onClick={() => void withdraw(open).then(() => said(texts().withdrawn), failed)}>
              {texts().withdraw}
            </Button>
          </div>
        </div>
      </div>
    </>
  )
}

function said(text: string, then?: () => void): void {
  showToast({ text })
  then?.()
}
