import { useState } from 'preact/hooks'
import { Avatar } from '../../../components/avatar.tsx'
import { Button } from '../../../components/button.tsx'
import { type Choice, Combobox } from '../../../components/combobox.tsx'
import { Dialog } from '../../../components/dialog.tsx'
import { MenuButton } from '../../../components/menu.tsx'
import { boot } from '../../../data/boot.ts'
import { fold } from '../../../lib/fold.ts'
import { t } from '../../../lib/texts/texts.ts'
import { sources } from '../../../shell/sources.ts'
import { mayWriteTranscripts } from '../state.ts'
import { texts } from '../texts.ts'
import { change } from './data.ts'
import { merged, named } from './speakers.ts'
import type { Speaker } from './types.ts'

type SpeakerMenuProps = { meeting: string; speaker: Speaker; speakers: readonly Speaker[] }

/** Says who a speaker is, or that two are one. */
export function SpeakerMenu({ meeting, speaker, speakers }: SpeakerMenuProps) {
  const words = texts()
  const [isNaming, setNaming] = useState(false)
  if (!mayWriteTranscripts()) return null
  const own = speaker.name ?? speaker.key
  const others = speakers.filter(({ key }) => key !== speaker.key).slice(0, 30)
  return (
    <>
      <MenuButton
        plain
        class="icon"
        icon="dots"
        aria-label={words.speakerMenu(own)}
        menuLabel={words.speakerMenu(own)}
        align="end"
        groups={() => [
          { items: [{ label: words.whoIsThis, icon: 'person', onPick: () => setNaming(true) }] },
          {
            label: words.sameAs,
            items: others.map((other) => ({
              label: other.name ?? other.key,
              onPick: () =>
                change(meeting, words.areOne(own, other.name ?? other.key), (before) =>
                  merged(before, speaker.key, other.key),
                ),
            })),
          },
        ]}
      />
      {isNaming && <WhoIsThis meeting={meeting} speaker={speaker} onClose={() => setNaming(false)} />}
    </>
  )
}

function WhoIsThis({ meeting, speaker, onClose }: { meeting: string; speaker: Speaker; onClose: () => void }) {
  const words = texts()
  const own = speaker.name ?? speaker.key
  const pick = (choice: Choice | null) => {
    if (!choice) return
    const at = choice.value.indexOf(':')
    const [kind, id] = [choice.value.slice(0, at), choice.value.slice(at + 1)]
    const who = {
      name: choice.label,
      member_id: kind === 'member' ? id : null,
      contact_id: kind === 'contact' ? id : null,
    }
    onClose()
    change(meeting, words.isNow(own, choice.label), (before) => named(before, speaker.key, who))
  }
  return (
    <Dialog
      title={words.whoIs(own)}
      onClose={onClose}
      footer={
        <Button plain large onClick={onClose}>
          {t().cancel}
        </Button>
      }
    >
      <div class="input">
        <Combobox
          label={words.whoIsThis}
          placeholder={words.whoHint}
          value={null}
          autofocus
          search={search}
          create={async (typed) => ({ value: 'name:', label: typed.trim() })}
          onPick={pick}
        />
      </div>
    </Dialog>
  )
}

/** Members by name, then contacts as the server finds them. */
async function search(typed: string, signal: AbortSignal): Promise<Choice[]> {
  const text = fold(typed.trim())
  const members = boot
    .peek()
    .members.filter(({ name }) => fold(name).includes(text))
    .slice(0, 8)
    .map(
      ({ id, name, email }): Choice => ({
        value: `member:${id}`,
        label: name,
        note: email,
        mark: <Avatar kind="member" id={id} name={name} size={16} />,
      }),
    )
  const contacts = await sources.search('contact')(typed, signal)
  return [...members, ...contacts.map((each) => ({ ...each, value: `contact:${each.value}` }))]
}
