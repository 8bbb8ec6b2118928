import { useRef, useState } from 'preact/hooks'
import { Button } from '../../components/button.tsx'
import type { Choice } from '../../components/choices.tsx'
import { Combobox } from '../../components/combobox.tsx'
import { Dialog } from '../../components/dialog.tsx'
import type { PageKind } from '../../components/kinds.ts'
import { showOver } from '../../components/over.tsx'
import { sayWhy } from '../../components/say-why.ts'
import { showToast } from '../../components/toast.tsx'
import { navigate } from '../../lib/router.ts'
import type { CommandContext } from '../commands/registry.ts'
import { sources } from '../sources.ts'
import { logCall, readCall } from './call.ts'
import { CallForm, factsOf, momentIn, NO_CALL } from './call-form.tsx'
import { linksOf } from './call-tab.tsx'
import { texts } from './texts.ts'

const LONGEST_NAME = 80

/**
 * "Ana: reached her, wants the offer" logs a call with Ana; without a name it is about the record on the page. Where it is not
 * certain with whom, it asks.
 */
export async function askForCall({ text = '', targets }: CommandContext): Promise<void> {
  await texts.ready()
  const [, name = '', said = ''] = /^([^:]+):\s*(.*)$/s.exec(text.trim()) ?? []
  if (name !== '' && name.length <= LONGEST_NAME) {
    const found = await sources
      .search('contact')(name, new AbortController().signal)
      .catch(() => [])
    const [one, other] = found
    if (one && !other && said !== '') return log(one, said)
    return ask(one && !other ? one : null, said, found)
  }
  const [id] = targets?.ids ?? []
  const kind = targets?.ids.length === 1 && isPage(targets.kind) ? targets.kind : undefined
  if (kind === undefined || id === undefined) return ask(null, text, [])
  if (text === '') return void navigate(`/${kind}/${id}?compose=call`)
  const { step } = await logCall({ text, ...readCall(text), links: linksOf(kind, id) }, texts().call)
  showToast({ text: texts().loggedHere, icon: 'phone', step })
}

const isPage = (kind: string): kind is PageKind => ['contacts', 'companies', 'deals'].includes(kind)

async function log({ value, label }: Choice, text: string): Promise<void> {
  try {
    say(
      label,
      value,
      (await logCall({ text, ...readCall(text), links: linksOf('contacts', value) }, texts().call)).step,
    )
  } catch (error) {
    showToast({ kind: 'error', text: `${texts().failed}: ${sayWhy(error)}` })
  }
}

const say = (name: string, id: string, step: string): void =>
  void showToast({
    text: texts().logged(name),
    icon: 'phone',
    step,
    action: { label: texts().open, run: () => void navigate(`/contacts/${id}`) },
  })

const ask = (who: Choice | null, text: string, found: readonly Choice[]): void =>
  showOver((close) => <LogCall who={who} text={text} found={found} onClose={close} />)

type LogCallProps = { who: Choice | null; text: string; found: readonly Choice[]; onClose: () => void }

function LogCall({ who: given, text, found, onClose }: LogCallProps) {
  const [who, setWho] = useState(given)
  const [draft, setDraft] = useState({ ...NO_CALL, text })
  const [fault, setFault] = useState<string | null>(null)
  const isSending = useRef(false)
  const words = texts()
  const search = sources.search('contact')

  const send = async () => {
    if (!who) return setFault(words.needsWho)
    if (isSending.current) return
    isSending.current = true
    try {
      const call = { text: draft.text, ...factsOf(draft), at: momentIn(draft), links: linksOf('contacts', who.value) }
      const { step } = await logCall(call, words.call)
      onClose()
      say(who.label, who.value, step)
    } catch (error) {
      setFault(sayWhy(error))
    } finally {
      isSending.current = false
    }
  }
  return (
    <Dialog
      title={words.title}
      onClose={onClose}
      footer={
        <>
          {fault && (
            <span class="small late grow" role="alert">
              {fault}
            </span>
          )}
          <Button plain large onClick={onClose}>
            {words.cancel}
          </Button>
          <Button first large onClick={() => void send()}>
            {words.add}
          </Button>
        </>
      }
    >
      <div class="new-record">
        <div class="field">
          <span class="label" aria-hidden="true">
            {words.who}
          </span>
          <div class="input">
            <Combobox
              label={words.who}
              placeholder={words.whoExample}
              value={who}
              autofocus={who === null}
              // Those of whom one is meant come first.
              search={(typed, signal) =>
                typed === '' && found.length > 0 ? Promise.resolve([...found]) : search(typed, signal)
              }
              onPick={(choice) => {
                setWho(choice)
                setFault(null)
              }}
            />
          </div>
        </div>
        <CallForm
          draft={draft}
          autofocus={who !== null}
          onChange={(changed) => setDraft((before) => ({ ...before, ...changed }))}
          onSend={() => void send()}
        />
      </div>
    </Dialog>
  )
}
