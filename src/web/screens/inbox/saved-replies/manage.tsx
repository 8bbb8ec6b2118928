import { useState } from 'preact/hooks'
import { Button, IconButton } from '../../../components/button.tsx'
import { Dialog } from '../../../components/dialog.tsx'
import { showOver } from '../../../components/over.tsx'
import { sayWhy } from '../../../components/say-why.ts'
import { client } from '../../../data/current.ts'
import { randomKey } from '../../../data/keys.ts'
import { t } from '../../../lib/texts/texts.ts'
import { useAsk } from '../../../shell/pages/ask.ts'
import { type Entry, Form } from '../../../shell/pages/form.tsx'
import { found, type SavedReply } from './reply.ts'
import { texts } from './texts.ts'

type Values = { title: string; text: string; whose: 'everyone' | 'me' }

export async function showSavedReplies(): Promise<void> {
  await texts.ready()
  showOver((close) => <SavedReplies onClose={close} />)
}

/** Makes, changes and deletes saved replies. */
function SavedReplies({ onClose }: { onClose: () => void }) {
  const words = texts()
  const { value, error, again } = useAsk<{ data: SavedReply[] }>('/app/saved-replies', ['saved_reply'])
  const [edited, setEdited] = useState<SavedReply | 'new' | undefined>(undefined)
  const [gone, setGone] = useState<SavedReply | undefined>(undefined)
  const [fault, setFault] = useState<string | undefined>(undefined)
  const replies = found('', value?.data ?? [])

  async function attempt(act: () => Promise<unknown>): Promise<void> {
    setFault(undefined)
    try {
      await act()
    } catch (error) {
      setFault(sayWhy(error))
    }
    await again()
  }

  const remove = (reply: SavedReply) =>
    attempt(async () => {
      await client().api.request('DELETE', `/app/saved-replies/${reply.id}`, { version: reply.version })
      setGone(reply)
    })
  const bringBack = ({ title, text, is_shared }: SavedReply) =>
    attempt(async () => {
      await post({ title, text, is_shared })
      setGone(undefined)
    })

  return (
    <Dialog
      wide
      title={words.title}
      onClose={onClose}
      footer={
        <>
          <Button icon="plus" onClick={() => setEdited('new')}>
            {words.add}
          </Button>
          <Button onClick={onClose}>{words.close}</Button>
        </>
      }
    >
      <div role="alert">
        {(fault ?? (error ? words.failed : undefined)) && <p class="help late">{fault ?? words.failed}</p>}
      </div>
      <div role="status">
        {gone && (
          <p class="help row">
            {words.removed(gone.title)}
            <button type="button" class="link" onClick={() => void bringBack(gone)}>
              {t().undo}
            </button>
          </p>
        )}
      </div>
      {value && replies.length === 0 && <p class="mute">{words.none}</p>}
      <ul>
        {replies.map((reply) => (
          <li key={reply.id} class="row">
            <span class="grow cut">
              <b dir="auto">{reply.title}</b>{' '}
              <span class="mute" dir="auto">
                {reply.text}
              </span>
            </span>
            <span class="small mute">{reply.is_shared ? words.everyone : words.onlyMe}</span>
            <IconButton plain icon="pen" title={words.change(reply.title)} onClick={() => setEdited(reply)} />
            <IconButton
              plain
              danger
              icon="trash"
              title={words.remove(reply.title)}
              onClick={() => void remove(reply)}
            />
          </li>
        ))}
      </ul>
      {edited && <Edit reply={edited === 'new' ? undefined : edited} onClose={() => setEdited(undefined)} />}
    </Dialog>
  )
}

function Edit({ reply, onClose }: { reply: SavedReply | undefined; onClose: () => void }) {
  const words = texts()
  const entries: Entry[] = [
    { key: 'title', label: words.name, type: 'text', is_required: true },
    { key: 'text', label: words.text, type: 'long_text', is_required: true, isLong: true, help_text: words.textHelp },
    {
      ...{ key: 'whose', label: words.whose, type: 'select', as: 'buttons', is_required: true },
      options: [
        { value: 'everyone', label: words.everyone },
        { value: 'me', label: words.onlyMe },
      ],
    },
  ]
  const initial: Partial<Values> = reply
    ? { title: reply.title, text: reply.text, whose: reply.is_shared ? 'everyone' : 'me' }
    : { whose: 'everyone' }
  // What is typed into the form follows the version that it began with.
  const [version] = useState(reply?.version)
  return (
    <Form<Values>
      isDialog
      name={`saved-reply:${reply?.id ?? 'new'}`}
      title={reply ? words.change(reply.title) : words.add}
      entries={entries}
      initial={initial}
      verb={reply ? words.save : words.create}
      onClose={onClose}
      send={({ title, text, whose }) => {
        const body = { title, text, is_shared: whose === 'everyone' }
        if (!reply) return post(body)
        return client().api.request('PATCH', `/app/saved-replies/${reply.id}`, { body, version })
      }}
    />
  )
}

const post = (body: Pick<SavedReply, 'title' | 'text' | 'is_shared'>) =>
  client().api.request('POST', '/app/saved-replies', { body, key: randomKey() })
