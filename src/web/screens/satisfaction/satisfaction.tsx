import type { InboxMailbox } from '../../../site/app/inbox-mailboxes.ts'
import { Check, Switch } from '../../components/check.tsx'
import { Empty } from '../../components/empty.tsx'
import { sayWhy } from '../../components/say-why.ts'
import { Segmented } from '../../components/segmented.tsx'
import { Bar as Grey } from '../../components/skeleton.tsx'
import { showToast } from '../../components/toast.tsx'
import { client } from '../../data/current.ts'
import { isAdmin } from '../../data/may.ts'
import { useAsk } from '../../shell/pages/ask.ts'
import { Section, Setting, Sheet } from '../../shell/pages/sheet.tsx'
import { texts as settingsTexts } from '../../shell/settings/texts.ts'
import { CountTable } from './counts.tsx'
import type { Kept, Settings } from './kept.ts'
import { texts } from './texts.ts'
import { WordForm } from './words.tsx'
import './satisfaction.css'

const LANGUAGES: { value: 'en' | 'de'; label: string }[] = [
  { value: 'en', label: 'English' },
  { value: 'de', label: 'Deutsch' },
]

/** Whether the mail that closes asks how the answer was. Choices take effect at once, words when they are saved. */
export default function Satisfaction() {
  const asked = useAsk<Kept>('/app/satisfaction')
  const mailboxes = useAsk<{ data: InboxMailbox[] }>('/app/inbox/mailboxes').value?.data
  const kept = asked.value
  const words = texts()

  /** Returns why it was refused, after which what is stored is shown again. */
  async function save(part: Partial<Settings>): Promise<unknown> {
    if (!kept) return undefined
    const { version, words: _, ...before } = kept
    const body = Object.fromEntries(Object.entries({ ...before, ...part }).filter(([, value]) => value !== undefined))
    try {
      // What was never changed has no version yet.
      asked.set(
        (await client().api.request<Kept>('PUT', '/app/satisfaction', { body, version: version || undefined })).body,
      )
      return undefined
    } catch (error) {
      await asked.again()
      return error
    }
  }

  const choose = async (part: Partial<Settings>): Promise<void> => {
    const error = await save(part)
    if (error !== undefined) showToast({ kind: 'error', text: words.notSaved(sayWhy(error)) })
  }

  return (
    <Sheet title={settingsTexts().satisfaction} summary={words.summary}>
      {!kept && asked.error === undefined && [0, 1, 2].map((row) => <Grey key={row} row={row} />)}
      {!kept && asked.error !== undefined && (
        <Empty icon="alert" title={words.failed}>
          {sayWhy(asked.error)}
        </Empty>
      )}
      {kept && (
        <>
          <Section text={words.askHelp}>
            <Setting label={words.ask} {...(isAdmin() ? {} : { help: words.admins })}>
              {isAdmin() ? (
                <Switch checked={kept.is_active} onChange={(is_active) => void choose({ is_active })}>
                  {words.on}
                </Switch>
              ) : (
                <span>{kept.is_active ? words.on : words.off}</span>
              )}
            </Setting>
            {isAdmin() && (
              <Setting label={words.language}>
                <Segmented
                  label={words.language}
                  value={kept.language ?? 'en'}
                  choices={LANGUAGES}
                  onChange={(language) => void choose({ language })}
                />
              </Setting>
            )}
          </Section>
          {isAdmin() && mailboxes && mailboxes.length > 1 && (
            <Boxes all={mailboxes} chosen={kept.mailboxes} onChoose={(chosen) => void choose({ mailboxes: chosen })} />
          )}
          {isAdmin() && <WordForm key={wordsIn(kept)} kept={kept} save={save} />}
          <Section title={words.preview}>
            <Preview kept={kept} />
          </Section>
          <CountTable />
        </>
      )}
    </Sheet>
  )
}

/** The form begins anew with other words, and not with each choice beside it. */
const wordsIn = ({ question, good, not_good, pause_days }: Kept): string =>
  JSON.stringify([question, good, not_good, pause_days])

/** As in the mail; a link there is only underlined here. */
function Preview({ kept }: { kept: Kept }) {
  const { language, question, good, not_good } = kept.words
  return (
    <div class="boxed asks" lang={language} dir="auto">
      <p>{question}</p>
      <p>
        <span class="acc">{good}</span> · <span class="acc">{not_good}</span>
      </p>
    </div>
  )
}

type BoxesProps = {
  all: readonly InboxMailbox[]
  /** Keys; undefined are all of them, also later ones. */
  chosen: readonly string[] | undefined
  onChoose: (chosen: string[] | undefined) => void
}

function Boxes({ all, chosen, onChoose }: BoxesProps) {
  const words = texts()
  const keys = all.map(({ key }) => key)
  return (
    <Section title={words.mailboxes}>
      <div class="stack">
        <Check checked={chosen === undefined} onChange={(isAll) => onChoose(isAll ? undefined : keys)}>
          {words.all}
        </Check>
        {all.map(({ key, name, address }) => (
          <Check
            key={key}
            checked={chosen?.includes(key) ?? true}
            disabled={chosen === undefined}
            onChange={(isIn) => onChoose(keys.filter((each) => (each === key ? isIn : chosen?.includes(each))))}
          >
            <bdi>{name}</bdi> <span class="mute">{address}</span>
          </Check>
        ))}
      </div>
    </Section>
  )
}
