import { useId, useState } from 'preact/hooks'
import { Button } from '../../../components/button.tsx'
import { Combobox } from '../../../components/combobox.tsx'
import { Icon } from '../../../components/icon.tsx'
import { base } from '../../../lib/base.ts'
import { format, locale } from '../../../lib/locale.ts'
import { DeadLink } from '../dead-link.tsx'
import { PasswordField, TextField } from '../fields.tsx'
import { Frame } from '../frame.tsx'
import { setUp } from '../requests.ts'
import { Message } from '../sign-in.tsx'
import { texts as signInTexts } from '../texts.ts'
import { guessCurrency, guessTimezone } from './guesses.ts'
import { LanguageChoice } from './language-choice.tsx'
import { Preview } from './preview.tsx'
import { texts } from './texts.ts'
import { passwordHelp, useForm } from './use-form.ts'
import './setup.css'

type Start = 'sample' | 'empty'

/** The first page of a new Dealbox: owner, organisation, and what to begin with. */
export function Setup({ token }: { token: string }) {
  const [name, setName] = useState('')
  const [email, setEmail] = useState('')
  const [password, setPassword] = useState('')
  const [orgName, setOrgName] = useState('')
  const [timezone, setTimezone] = useState(guessTimezone)
  const [currency, setCurrency] = useState(() => guessCurrency(navigator.language, timezone))
  const [start, setStart] = useState<Start>('sample')
  const form = useForm(async () => {
    await setUp({
      token,
      org: { name: orgName.trim(), currency, timezone },
      owner: {
        name: name.trim(),
        email: email.trim(),
        password,
        language: locale.value.language === 'de' ? 'de' : 'en',
      },
      start,
    })
    location.replace(`${base}/`)
  })
  if (form.deadLink) return <DeadLink why={form.deadLink} />

  const values = {
    '/owner/name': name,
    '/owner/email': email,
    '/owner/password': password,
    '/org/name': orgName,
  }
  const wrong = Object.keys(form.errors).length
  const isYou = name !== '' && email.includes('@') && [...password].length >= 12
  const isOrg = orgName !== ''
  return (
    <Frame
      steps={
        <Steps isYou={isYou} isOrg={isOrg} name={name} orgName={orgName} currency={currency} timezone={timezone} />
      }
    >
      <div class="setup">
        <form ref={form.ref} noValidate onSubmit={form.submit(values, { newPassword: '/owner/password' })}>
          <h1>{texts().setupTitle}</h1>
          <p class="sub">{texts().setupBody}</p>
          <Message text={form.message} />
          <fieldset>
            <legend>{texts().you}</legend>
            <div class="two">
              <TextField
                label={texts().yourName}
                {...form.field('/owner/name', name, setName)}
                autocomplete="name"
                autofocus
              />
              <TextField
                label={signInTexts().email}
                {...form.field('/owner/email', email, setEmail)}
                type="email"
                autocomplete="username"
              />
              <PasswordField
                label={texts().newPassword}
                {...form.field('/owner/password', password, setPassword)}
                autocomplete="new-password"
                help={passwordHelp(password)}
              />
              <LanguageChoice />
            </div>
          </fieldset>
          <fieldset>
            <legend>{texts().organisation}</legend>
            <div class="two">
              <div class="wide-field">
                <TextField
                  label={texts().orgName}
                  {...form.field('/org/name', orgName, setOrgName)}
                  autocomplete="organization"
                />
              </div>
              <Picked
                label={texts().currency}
                help={texts().currencyHelp}
                error={form.errors['/org/currency']}
                value={currency}
                choices={Intl.supportedValuesOf('currency')}
                labelOf={(each) => `${each}  ${format.value.currencyName(each)}`}
                onPick={setCurrency}
              />
              <Picked
                label={texts().timezone}
                help={texts().timezoneHelp}
                error={form.errors['/org/timezone']}
                value={timezone}
                choices={zones(timezone)}
                labelOf={(each) => each.replaceAll('_', ' ')}
                onPick={setTimezone}
              />
            </div>
          </fieldset>
          <fieldset>
            <legend>{texts().startWith}</legend>
            <div class="pre">
              {(['sample', 'empty'] as const).map((each) => (
                <label key={each} class={start === each ? 'boxed on' : 'boxed'}>
                  <input type="radio" name="start" checked={start === each} onChange={() => setStart(each)} />
                  <b>{texts()[each]}</b>
                  <span class="small mute">{each === 'sample' ? texts().sampleBody : texts().emptyBody}</span>
                </label>
              ))}
            </div>
          </fieldset>
          <div class="acts row">
            <Button type="submit" first large working={form.isWorking ? texts().settingUp : undefined}>
              {texts().setUp}
            </Button>
            {wrong > 0 && <span class="small late">{texts().checkFields(wrong)}</span>}
          </div>
        </form>
        <Preview isEmpty={start === 'empty'} />
      </div>
    </Frame>
  )
}

/** The zone of the browser may be one that the list does not name. */
const zones = (own: string): string[] => [...new Set([own, ...Intl.supportedValuesOf('timeZone'), 'UTC'])]

type PickedProps = {
  label: string
  help: string
  error: string | undefined
  value: string
  choices: string[]
  labelOf: (choice: string) => string
  onPick: (choice: string) => void
}

function Picked({ label, help, error, value, choices, labelOf, onPick }: PickedProps) {
  const id = useId()
  const choice = (each: string) => ({ value: each, label: labelOf(each) })
  return (
    <div class="form-field">
      <div class="line">
        <label for={id}>{label}</label>
      </div>
      <div class={error === undefined ? 'input' : 'input is-bad'}>
        <Combobox
          id={id}
          label={label}
          value={choice(value)}
          choices={choices.map(choice)}
          describedBy={`${id}-note`}
          invalid={error !== undefined}
          onPick={(picked) => picked && onPick(picked.value)}
        />
      </div>
      <p id={`${id}-note`} class={error === undefined ? 'help' : 'help late'}>
        {error ?? help}
      </p>
    </div>
  )
}

type StepsProps = { isYou: boolean; isOrg: boolean; name: string; orgName: string; currency: string; timezone: string }

/** The parts of the page, ticked as they are met. */
function Steps({ isYou, isOrg, name, orgName, currency, timezone }: StepsProps) {
  const city = timezone.split('/').at(-1)?.replaceAll('_', ' ') ?? timezone
  const steps = [
    { title: texts().you, note: isYou ? name : texts().youNote, isDone: isYou },
    {
      title: texts().organisation,
      note: isOrg ? [orgName, currency, city].join(', ') : texts().organisationNote,
      isDone: isOrg,
    },
    { title: texts().start, note: texts().startNote, isDone: false },
  ]
  const now = steps.findIndex(({ isDone }) => !isDone)
  return (
    <>
      <ol class="rounds">
        {steps.map(({ title, note, isDone }, index) => (
          <li
            key={title}
            class={isDone ? 'done' : index === now ? 'now' : undefined}
            aria-current={index === now ? 'step' : undefined}
          >
            <span class="n">{isDone ? <Icon name="check" small /> : index + 1}</span>
            <div>
              <b>{title}</b>
              <small>{note}</small>
            </div>
          </li>
        ))}
      </ol>
      <p class="backup">{texts().backup}</p>
    </>
  )
}
