import { useState } from 'preact/hooks'
import { Button } from '../../components/button.tsx'
import { Icon } from '../../components/icon.tsx'
import { client } from '../../data/current.ts'
import type { Message, RecordOf } from '../../data/types.ts'
import { texts } from '../texts.ts'
import type { MailEntry } from './entries.ts'

/** A mail: its subject and the first three lines; all of its text on request. */
export function MailBody({ mail }: { mail: MailEntry }) {
  const [whole, setWhole] = useState<string | 'failed' | undefined>(undefined)
  const [isOpen, setOpen] = useState(false)
  const words = texts().timeline
  const text = (typeof whole === 'string' && whole !== 'failed' ? whole : mail.text) ?? ''
  const isLong = mail.is_cut || text.length > 220 || text.split('\n').length > 3

  async function open(): Promise<void> {
    setOpen(!isOpen)
    if (isOpen || !mail.is_cut || whole !== undefined) return
    try {
      const found = await client().api.get<RecordOf<'messages'>>(`/api/v1/messages/${mail.id}`)
      setWhole((found as Message & { body_text: string | null }).body_text ?? '')
    } catch {
      setWhole('failed')
    }
  }

  return (
    <div class={mail.direction === 'note' ? 'box mail is-note' : 'box mail'}>
      <h4>
        <a href={`/inbox?c=${mail.conversation_id}`}>{mail.subject || texts().timeline.conversation}</a>
      </h4>
      <p class={isOpen ? 'text' : 'text three'}>{text}</p>
      {whole === 'failed' && <p class="small late">{words.mailFailed}</p>}
      <div class="row small mute">
        {mail.attachments > 0 && (
          <span>
            <Icon name="clip" small /> {words.attachments(mail.attachments)}
          </span>
        )}
        {isLong && (
          <Button plain class="opens-all" aria-expanded={isOpen} onClick={() => void open()}>
            {isOpen ? words.less : words.whole}
          </Button>
        )}
      </div>
    </div>
  )
}
