import { useState } from 'preact/hooks'
import { Button } from '../../components/button.tsx'
import { base } from '../../lib/base.ts'
import { format } from '../../lib/locale.ts'
import { serverNow } from '../../lib/server-time.ts'
import { DeadLink } from './dead-link.tsx'
import { PasswordField, TextField } from './fields.tsx'
import { Frame } from './frame.tsx'
import { acceptLink, type Link } from './requests.ts'
import { LanguageChoice } from './setup/language-choice.tsx'
import { texts } from './setup/texts.ts'
import { passwordHelp, useForm } from './setup/use-form.ts'
import { Message } from './sign-in.tsx'
import { texts as signInTexts } from './texts.ts'

/** An invitation: a colleague takes their place with a name and a password. */
export function Join({ token, link }: { token: string; link: Link }) {
  const [name, setName] = useState('')
  const [email, setEmail] = useState(link.email ?? '')
  const [password, setPassword] = useState('')
  const form = useForm(async () => {
    await acceptLink({
      token,
      name: name.trim(),
      email: email.trim(),
      password,
      language: document.documentElement.lang === 'de' ? 'de' : 'en',
    })
    location.replace(`${base}/`)
  })
  if (form.deadLink) return <DeadLink why={form.deadLink} />
  const role = texts().roles[(link.role ?? 'member') as keyof ReturnType<typeof texts>['roles']] ?? link.role ?? ''

  return (
    <Frame>
      <form
        class="narrow"
        noValidate
        onSubmit={form.submit({ '/name': name, '/email': email, '/password': password }, { newPassword: '/password' })}
        ref={form.ref}
      >
        <h1>{texts().joinTitle(link.org_name ?? 'Dealbox')}</h1>
        <p class="sub">{texts().joinBody(link.invited_by ?? null, role)}</p>
        <Message text={form.message} />
        <div class="f">
          <TextField label={texts().yourName} {...form.field('/name', name, setName)} autocomplete="name" autofocus />
        </div>
        <div class="f">
          <TextField
            label={signInTexts().email}
            {...form.field('/email', email, setEmail)}
            type="email"
            autocomplete="username"
            readOnly={Boolean(link.email)}
            help={link.email ? texts().fixedEmail : undefined}
          />
        </div>
        <div class="f">
          <PasswordField
            label={texts().newPassword}
            {...form.field('/password', password, setPassword)}
            autocomplete="new-password"
            help={passwordHelp(password)}
          />
        </div>
        <div class="f">
          <LanguageChoice />
        </div>
        <Button type="submit" first large wide working={form.isWorking ? texts().joining : undefined}>
          {texts().join}
        </Button>
        <p class="foot">{texts().joinUntil(format.value.when(link.expires_at, serverNow()))}</p>
      </form>
    </Frame>
  )
}
