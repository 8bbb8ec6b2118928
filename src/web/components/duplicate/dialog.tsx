import { useState } from 'preact/hooks'
import { pathWith } from '../../data/api.ts'
import { client } from '../../data/current.ts'
import { load, useTheirs } from '../../data/records.ts'
import type { Fields, Rec } from '../../data/types.ts'
import { asStep } from '../../data/writes.ts'
import { navigate } from '../../lib/router.ts'
import { Button } from '../button.tsx'
import { Dialog } from '../dialog.tsx'
import { showOver } from '../over.tsx'
import { sayWhy } from '../say-why.ts'
import { showToast } from '../toast.tsx'
import { texts } from './texts.ts'

/** What was refused, since another record has its email or its domain: a new record, or a change of the one with the id. */
export type Refused = {
  kind: 'contacts' | 'companies'
  id?: string
  body: Fields
  /** It is settled: made, saved, or left for the other one. */
  onSettled?: (how: 'written' | 'left') => void
}

/** Who has the email or the domain already, and what can be done: open it, bring both together, or go on all the same. */
export async function showDuplicate(other: string, refused: Refused): Promise<void> {
  const found = (await load(refused.kind, other).catch(() => undefined)) as Rec | undefined
  await texts.ready()
  showOver((close) => (
    <Duplicate refused={refused} other={{ id: other, name: String(found?.name ?? '') }} onClose={close} />
  ))
}

type DuplicateProps = { refused: Refused; other: { id: string; name: string }; onClose: () => void }

function Duplicate({ refused, other, onClose }: DuplicateProps) {
  const { kind, id, body, onSettled } = refused
  const words = texts()
  const [fault, setFault] = useState<string | null>(null)
  const isContact = kind === 'contacts'
  const leaveFor = (href: string, isSettled = false) => {
    if (isSettled && id !== undefined) for (const name of Object.keys(body)) useTheirs(kind, id, name)
    onClose()
    onSettled?.('left')
    void navigate(href)
  }
  /** One request, as a step of mine. */
  const write = async (method: string, path: string, given: Fields, said: (name: string) => string) => {
    let key = ''
    const step = asStep(() => {
      key = client().newKey()
    })
    try {
      const { body: answer } = await client().api.request<Rec & { people?: Rec[] }>(method, path, { body: given, key })
      const made = answer.people?.[0] ?? answer
      if (id !== undefined) for (const name of Object.keys(given)) useTheirs(kind, id, name)
      onClose()
      onSettled?.('written')
      showToast({
        text: said(String(made.name)),
        step,
        ...(id === undefined ? { action: { label: words.open, run: () => void navigate(`/${kind}/${made.id}`) } } : {}),
      })
    } catch (error) {
      setFault(sayWhy(error))
    }
  }
  const { domains: _, ...withoutDomain } = body
  const anyway =
    id === undefined
      ? () => write('POST', pathAnyway(`/api/v1/${kind}`, isContact), isContact ? body : withoutDomain, words.created)
      : () => write('PATCH', pathAnyway(`/api/v1/${kind}/${id}`, isContact), body, words.saved)
  const bring =
    id === undefined
      ? () => write('POST', '/app/people', { people: [{ contact: body, to_contact_id: other.id }] }, words.added)
      : () => leaveFor(`/duplicates?object=${isContact ? 'contact' : 'company'}&pair=${other.id},${id}`, true)
  // A company cannot have the domain of another one, and a new one has little to add.
  const canAnyway = isContact || id === undefined
  const canBring = isContact || id !== undefined
  return (
    <Dialog
      alert
      wide
      title={words.title[kind](other.name)}
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
          {canAnyway && (
            <Button large onClick={() => void anyway()}>
              {id === undefined ? words.create[kind] : words.save}
            </Button>
          )}
          {canBring && (
            <Button large onClick={() => void bring()}>
              {id === undefined ? words.add : words.merge}
            </Button>
          )}
          <Button first large onClick={() => leaveFor(`/${kind}/${other.id}`)}>
            {words.open}
          </Button>
        </>
      }
    >
      <p>
        {id === undefined
          ? isContact
            ? words.bodyNew
            : words.bodyNewCompany
          : isContact
            ? words.bodyChange
            : words.bodyChangeCompany}
      </p>
    </Dialog>
  )
}

const pathAnyway = (path: string, isContact: boolean): string =>
  pathWith(path, { allow_duplicate: isContact ? true : undefined })
