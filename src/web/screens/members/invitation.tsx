import { Button } from '../../components/button.tsx'
import { Icon } from '../../components/icon.tsx'
import { memberName } from '../../data/boot.ts'
import { format } from '../../lib/locale.ts'
import { now } from '../../lib/now.ts'
import { words } from '../../lib/texts/words/texts.ts'
import { attempt } from '../../shell/pages/attempt.ts'
import { Form } from '../../shell/pages/form.tsx'
import { LinkCard } from '../../shell/pages/link-card.tsx'
import { Panel, Part } from '../../shell/pages/panel.tsx'
import { givableRoles, type Invite, invite, type NewInvite, withdraw } from './actions.ts'
import { texts } from './texts.ts'

type InviteFormProps = { onMade: (made: NewInvite) => void; onClose: () => void }

/** Whom to invite: an address is not needed, since the link is what counts. */
export function InviteForm({ onMade, onClose }: InviteFormProps) {
  return (
    <Form<Pick<Invite, 'email' | 'role'>>
      name="invite"
      title={texts().invitation}
      initial={{ role: 'member' }}
      entries={[
        { key: 'email', label: words().email, type: 'email', help_text: texts().emailHelp },
        {
          key: 'role',
          label: words().role,
          type: 'select',
          as: 'buttons',
          is_required: true,
          options: givableRoles().map((value) => ({
            value,
            label: words().roles[value],
            note: texts().roleNotes[value],
          })),
        },
      ]}
      verb={texts().makeLink}
      working={texts().making}
      send={async (given) => onMade(await invite(given))}
      onClose={onClose}
    />
  )
}

/** A new invitation with its link, which is shown this once. */
export function MadeCard({ invite: made, onGone }: { invite: NewInvite; onGone: () => void }) {
  const { email, role, url, qr_svg, expires_at } = made
  return (
    <LinkCard
      title={texts().invitation}
      note={[email, words().roles[role]].filter(Boolean).join(', ')}
      heading={texts().send}
      text={texts().sendBody(format.value.when(expires_at, now.value), email)}
      label={texts().link}
      value={url}
      code={{ svg: qr_svg, alt: texts().qr, help: texts().qrHelp }}
      actions={<Withdraw id={made.id} onGone={onGone} />}
    >
      {made.warning === 'loopback' ? (
        <p class="small warn-note">
          <Icon name="alert" small />
          {texts().loopback(new URL(url).port || '80')}
        </p>
      ) : (
        <p class="small dim">{texts().reachable(new URL(url).host)}</p>
      )}
    </LinkCard>
  )
}

type InvitePanelProps = { invite: Invite; onMade: (made: NewInvite) => void; onGone: () => void }

/** An open invitation, whose link was shown when it was made. */
export function InvitePanel({ invite: open, onMade, onGone }: InvitePanelProps) {
  const { id, email, role } = open
  const by = open.invited_by === null ? undefined : memberName(open.invited_by)
  const at = format.value.when(open.created_at, now.value)
  // The old one stops working.
  const renew = async () => {
    await withdraw(id)
    onMade(await invite({ email, role }))
  }
  return (
    <Panel
      name={email ?? texts().anyone}
      below={texts().invitedBy(words().roles[role], by, at)}
      avatar={{ kind: email ? 'contact' : 'nobody' }}
      by="member"
    >
      <Part title={texts().invitation}>
        <p class="dim">{texts().hidden}</p>
        <div class="row">
          <Button onClick={() => void attempt(renew)}>{texts().newLink}</Button>
          <Withdraw id={id} onGone={onGone} />
        </div>
      </Part>
    </Panel>
  )
}

function Withdraw({ id, onGone }: { id: string; onGone: () => void }) {
  return (
    <Button plain danger onClick={() => void attempt(() => withdraw(id).then(onGone), texts().withdrawn)}>
      {texts().withdraw}
    </Button>
  )
}
