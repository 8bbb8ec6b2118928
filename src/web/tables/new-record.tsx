import { useEffect, useRef, useState } from 'preact/hooks'
import { Button } from '../components/button.tsx'
import { Dialog } from '../components/dialog.tsx'
import { offerDuplicate } from '../components/duplicate/offer.ts'
import type { Field } from '../components/fields/field.ts'
import { loadFigures } from '../components/fields/figures.ts'
import { FormField } from '../components/fields/form-field.tsx'
import { SourcesContext } from '../components/fields/sources.ts'
import { draftsOf, useForm } from '../components/fields/use-form.ts'
import { sayWhy } from '../components/say-why.ts'
import { showToast } from '../components/toast.tsx'
import { BegunBefore, useBegun } from '../components/typed/begun.tsx'
import { ApiProblem, pathWith } from '../data/api.ts'
import { boot, me } from '../data/boot.ts'
import { client } from '../data/current.ts'
import { create } from '../data/records.ts'
import type { Rec } from '../data/types.ts'
import { asStep } from '../data/writes.ts'
import { isAboutPeople } from '../lib/about-people.ts'
import { format } from '../lib/locale.ts'
import { navigate } from '../lib/router.ts'
import { askForPeople } from '../shell/pasted-people.ts'
import { sources } from '../shell/sources.ts'
import { texts } from './texts.ts'

type NewRecordProps = { kind: 'contacts' | 'companies'; name?: string | undefined; onClose: () => void }

const fieldsOf = (kind: NewRecordProps['kind']): Field[] => {
  const words = texts().add
  const owner: Field = { key: 'owner_id', label: words.owner, type: 'member' }
  const custom = boot
    .peek()
    .custom_fields.filter(
      ({ object, is_required, is_archived }) => is_required && !is_archived && kind.startsWith(object.slice(0, 4)),
    )
    .map(({ key, label, type, options, help_text }): Field => {
      return {
        key: `custom_fields.${key}`,
        label,
        type,
        options: options ?? [],
        help_text,
        is_required: true,
        isLong: true,
      }
    })
  if (kind === 'companies') {
    return [
      { key: 'name', label: words.name, type: 'text', is_required: true, example: words.companyExample },
      { key: 'domain', label: words.domain, type: 'text', example: 'northwind.example' },
      owner,
      ...custom,
    ]
  }
  return [
    { key: 'name', label: words.name, type: 'text', example: words.nameExample },
    { key: 'email', label: words.email, type: 'email', example: 'mira@northwind.example' },
    { key: 'company_id', label: words.company, type: 'company' },
    { key: 'phone', label: words.phone, type: 'phone' },
    owner,
    ...custom,
  ]
}

/** Adds a contact or a company, and shows those that it may be already. */
export function NewRecord({ kind, name, onClose }: NewRecordProps) {
  const [fields] = useState(() => fieldsOf(kind))
  const [initial] = useState(() => ({ owner_id: me.peek().id, ...(name ? { name } : {}) }))
  const begun = useBegun(kind, draftsOf(fields, initial), name !== undefined)
  const form = useForm(fields, initial, begun)
  const box = useRef<HTMLFormElement>(null)
  const [isWorking, setWorking] = useState(false)
  const [fault, setFault] = useState<string | null>(null)
  const textOf = (key: string): string => {
    const field = fields.find((each) => each.key === key)
    const draft = field ? form.of(field).draft : ''
    return typeof draft === 'string' ? draft.trim() : ''
  }
  const similar = useSimilar(kind, {
    name: textOf('name'),
    email: textOf('email'),
    phone: textOf('phone'),
    domain: textOf('domain'),
  })
  const words = texts().add
  const save = async (event: Event) => {
    event.preventDefault()
    const values = form.check(box.current)
    if (!values) return
    if (kind === 'contacts' && !values.name && !values.email && !values.phone) return setFault(words.needsOne)
    setWorking(true)
    const body = await bodyOf(kind, values)
    try {
      let making: Promise<unknown> | undefined
      const step = asStep(() => {
        making = create(kind, body)
      })
      const made = (await making) as Rec
      begun.clear()
      onClose()
      showToast({
        text: words.added(String(made.name)),
        step,
        action: { label: words.open, run: () => void navigate(`/${kind}/${made.id}`) },
      })
    } catch (error) {
      setWorking(false)
      const found = error instanceof ApiProblem ? errorsOf(error, fields) : {}
      if (Object.keys(found).length > 0) form.setErrors(found, box.current)
      else setFault(sayWhy(error))
      const onSettled = (how: 'written' | 'left') => {
        if (how === 'written') begun.clear()
        onClose()
      }
      offerDuplicate(error, kind, { body, onSettled })
    }
  }
  return (
    <Dialog
      title={texts()[kind].create}
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
          <Button first large type="submit" form="new-record" working={isWorking ? '…' : undefined}>
            {kind === 'contacts' ? words.saveContact : words.saveCompany}
          </Button>
        </>
      }
    >
      <SourcesContext.Provider value={sources}>
        <form
          id="new-record"
          ref={box}
          class="new-record"
          noValidate
          onSubmit={(event) => void save(event)}
          onPaste={(event) => {
            const text = event.clipboardData?.getData('text/plain') ?? ''
            if (kind !== 'contacts' || !isAboutPeople(text)) return
            event.preventDefault()
            onClose()
            askForPeople(text)
          }}
        >
          <BegunBefore form={begun.form} />
          {fields.map((field) => (
            <FormField key={field.key} {...form.of(field)} />
          ))}
          {similar.length > 0 && (
            <div class="similar" role="status">
              <b class="mid">{words.maybe}</b>
              <ul>
                {similar.map(({ record, reason }) => (
                  <li key={record.id}>
                    <a
                      class="link cut"
                      dir="auto"
                      href={`/${kind}/${record.id}`}
                      onClick={(event) => {
                        event.preventDefault()
                        onClose()
                        void navigate(`/${kind}/${record.id}`)
                      }}
                    >
                      {String(record.name)}
                    </a>
                    <span class="small mute">{words.because[reason]}</span>
                  </li>
                ))}
              </ul>
            </div>
          )}
        </form>
      </SourcesContext.Provider>
    </Dialog>
  )
}

async function bodyOf(kind: NewRecordProps['kind'], values: Record<string, unknown>): Promise<Record<string, unknown>> {
  const { name, email, phone, domain, ...rest } = values
  const body: Record<string, unknown> = {}
  for (const [key, value] of Object.entries(rest)) {
    if (value === null || value === undefined) continue
    if (!key.startsWith('custom_fields.')) body[key] = value
    else body.custom_fields = { ...(body.custom_fields as object), [key.slice(14)]: value }
  }
  if (kind === 'companies') return { ...body, name, ...(domain ? { domains: [domain] } : {}) }
  return {
    ...body,
    ...(name ? (await loadFigures()).typedNames(String(name), format.value.tag) : {}),
    ...(email ? { emails: [{ email, label: 'work', is_primary: true }] } : {}),
    ...(phone ? { phones: [{ number: phone, label: 'work', is_primary: true }] } : {}),
  }
}

/** The server names fields of the record, the form has fewer. */
function errorsOf(error: ApiProblem, fields: readonly Field[]): Record<string, string> {
  const names: Record<string, string> = {
    emails: 'email',
    phones: 'phone',
    domains: 'domain',
    last_name: 'name',
    first_name: 'name',
  }
  const found: Record<string, string> = {}
  for (const { pointer, message } of error.errors) {
    const [name = '', member] = pointer.slice(1).split('/')
    const key = name === 'custom_fields' ? `custom_fields.${member}` : (names[name] ?? name)
    if (fields.some((field) => field.key === key)) found[key] = message
  }
  if (error.code === 'duplicate') {
    const own = fields.find(({ key }) => key === 'email' || key === 'domain')
    if (own) found[own.key] = error.message
  }
  return found
}

type Similar = { record: Rec; reason: 'email' | 'phone' | 'name' | 'domain' }

const PAUSE_MS = 250

/** Those with the same email or domain, or the same name, while it is typed. */
function useSimilar(
  kind: NewRecordProps['kind'],
  { name, email, phone, domain }: Record<'name' | 'email' | 'phone' | 'domain', string>,
): Similar[] {
  const [found, setFound] = useState<Similar[]>([])
  useEffect(() => {
    let isOver = false
    const ask = async (reason: Similar['reason'], query: Record<string, string>): Promise<Similar[]> => {
      const { data } = await client().api.get<{ data: Rec[] }>(pathWith(`/app/rows/${kind}`, { ...query, limit: 3 }))
      return data.map((record) => ({ record, reason }))
    }
    const timer = setTimeout(async () => {
      const asked: Promise<Similar[]>[] = []
      if (/^\S+@\S+\.\S+$/.test(email)) asked.push(ask('email', { email }))
      if ((phone.match(/\d/g)?.length ?? 0) >= 6) asked.push(ask('phone', { phone }).catch(() => []))
      if (/^[^\s.]+(\.[^\s.]+)+$/.test(domain)) asked.push(ask('domain', { domain }))
      if (name.length >= 3)
        asked.push(ask('name', { filter: JSON.stringify({ field: 'name', op: 'eq', value: name }) }))
      const all = (await Promise.all(asked).catch(() => [])).flat()
      const seen = new Set<string>()
      if (!isOver) setFound(all.filter(({ record }) => !seen.has(record.id) && seen.add(record.id)).slice(0, 5))
    }, PAUSE_MS)
    return () => {
      isOver = true
      clearTimeout(timer)
    }
  }, [kind, name, email, phone, domain])
  return found
}
