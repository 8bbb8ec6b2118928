import { useState } from 'preact/hooks'
import { Button } from '../../components/button.tsx'
import { showToast } from '../../components/toast.tsx'
import { me } from '../../data/boot.ts'
import { client } from '../../data/current.ts'
import { t } from '../../lib/texts/texts.ts'
import { Section, Sheet } from '../../shell/pages/sheet.tsx'
import { texts as settingsTexts } from '../../shell/settings/texts.ts'
import { PasswordField } from '../sign-in/fields.tsx'
import { passwordHelp, useForm } from '../sign-in/setup/use-form.ts'
import { Message } from '../sign-in/sign-in.tsx'
import { noteMe } from './note-me.ts'
import { SecondFactor } from './second-factor.tsx'
import { texts } from './texts.ts'
import './sign-in-settings.css'

/** My password and my second factor. */
export default function SignInSettings() {
  return (
    <Sheet title={settingsTexts().signIn}>
      <PasswordSection />
      <SecondFactor />
    </Sheet>
  )
}

function PasswordSection() {
  const [current, setCurrent] = useState('')
  const [next, setNext] = useState('')
  const hasPassword = me.value.has_password
  const form = useForm(async () => {
    await client().api.request('POST', '/app/password', { body: { ...(hasPassword ? { current } : {}), new: next } })
    setCurrent('')
    setNext('')
    noteMe({ has_password: true })
    showToast({ text: texts().passwordChanged })
  })
  return (
    <Section title={texts().password} text={hasPassword ? texts().passwordSet : texts().passwordNone}>
      <form
        class="own-password form"
        noValidate
        ref={form.ref}
        onSubmit={form.submit(hasPassword ? { '/current': current, '/new': next } : { '/new': next }, {
          newPassword: '/new',
        })}
      >
        <Message text={form.message} />
        {/* Password managers keep the new one under this name. */}
        <input type="hidden" name="email" autocomplete="username" value={me.value.email} />
        {hasPassword && (
          <PasswordField
            label={texts().current}
            {...form.field('/current', current, setCurrent)}
            autocomplete="current-password"
          />
        )}
        <PasswordField
          label={texts().newOne}
          {...form.field('/new', next, setNext)}
          autocomplete="new-password"
          help={passwordHelp(next)}
        />
        <div>
          <Button type="submit" large working={form.isWorking ? t().saving : undefined}>
            {hasPassword ? texts().changePassword : texts().setPassword}
          </Button>
        </div>
      </form>
    </Section>
  )
}
