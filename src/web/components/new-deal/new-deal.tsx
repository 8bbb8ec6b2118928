import { useRef, useState } from 'preact/hooks'
import { boot, me } from '../../data/boot.ts'
import type { Rec } from '../../data/types.ts'
import { navigate } from '../../lib/router.ts'
import { opening } from '../../lib/typed-ahead.ts'
import { Button } from '../button.tsx'
import { Dialog } from '../dialog.tsx'
import type { Field, Money } from '../fields/field.ts'
import { loadFigures } from '../fields/figures.ts'
import { FormField } from '../fields/form-field.tsx'
import { draftsOf, useForm } from '../fields/use-form.ts'
import { showOver } from '../over.tsx'
import { sayWhy } from '../say-why.ts'
import { showToast } from '../toast.tsx'
import { BegunBefore, useBegun } from '../typed/begun.tsx'
import { makeDeal } from './make.ts'
import { texts } from './texts.ts'

/** The contact or the company that the deal is with: it keeps both. */
export type DealWith = {
  kind: 'contacts' | 'companies'
  record: Rec
  title?: string | undefined
  onMade?: ((deal: string) => void) | undefined
}

/** Asks for a deal with somebody, over whatever screen there is. */
export async function openNewDeal(given: DealWith): Promise<void> {
  await opening(Promise.all([texts.ready(), loadFigures()]))
  showOver((close) => <NewDeal {...given} onClose={close} />)
}

/** Open stages, those of the default pipeline first: the first one is where deals begin. */
const openStages = () => boot.peek().stages.filter(({ is_open }) => is_open)

function fieldsFor(): Field[] {
  const words = texts()
  const stages = openStages()
  const pipelines = new Set(stages.map(({ pipeline_id }) => pipeline_id)).size
  return [
    { key: 'title', label: words.title, type: 'text', is_required: true },
    { key: 'amount', label: words.amount, type: 'money' },
    {
      key: 'stage',
      label: words.stage,
      type: 'select',
      is_required: true,
      options: stages.map(({ id, name, pipeline_name }) => ({
        value: id,
        label: pipelines > 1 ? `${pipeline_name}, ${name}` : name,
      })),
    },
    { key: 'expected_close_date', label: words.expected, type: 'date' },
    { key: 'owner_id', label: words.owner, type: 'member' },
  ]
}

function NewDeal({ kind, record, title, onMade, onClose }: DealWith & { onClose: () => void }) {
  const [fields] = useState(fieldsFor)
  const [initial] = useState(() => ({
    owner_id: me.peek().id,
    stage: openStages()[0]?.id ?? null,
    amount: { amount: null, currency: boot.peek().org.currency },
    ...(title ? { title } : {}),
  }))
  const begun = useBegun(`deal:${record.id}`, draftsOf(fields, initial), title !== undefined)
  const form = useForm(fields, initial, begun)
  const box = useRef<HTMLFormElement>(null)
  const [isWorking, setWorking] = useState(false)
  const [fault, setFault] = useState<string | null>(null)
  const words = texts()

  const save = async (event: Event) => {
    event.preventDefault()
    if (isWorking) return
    const values = form.check(box.current)
    if (!values) return
    setWorking(true)
    const { amount: money, stage, ...rest } = values
    const price = (money as Money | null)?.amount == null ? {} : (money as Money)
    try {
      const links = linksOf(kind, record)
      const { deal, step } = await makeDeal({ ...rest, ...price, ...links }, String(stage), onMade)
      begun.clear()
      onClose()
      showToast({
        text: words.added(deal.title),
        step,
        action: { label: words.open, run: () => void navigate(`/deals/${deal.id}`) },
      })
    } catch (error) {
      setWorking(false)
      setFault(sayWhy(error))
    }
  }
  return (
    <Dialog
      title={words.titleFor(String(record.name))}
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
          <Button first large type="submit" form="new-deal" working={isWorking ? '…' : undefined}>
            {words.add}
          </Button>
        </>
      }
    >
      <form id="new-deal" ref={box} class="new-record" noValidate onSubmit={(event) => void save(event)}>
        <BegunBefore form={begun.form} />
        {fields.map((field) => (
          <FormField key={field.key} {...form.of(field)} />
        ))}
      </form>
    </Dialog>
  )
}

/** A deal with a contact is one with their company, too. */
const linksOf = (kind: DealWith['kind'], record: Rec): Record<string, unknown> =>
  kind === 'companies'
    ? { company_id: record.id }
    : { primary_contact_id: record.id, ...(record.company_id ? { company_id: record.company_id } : {}) }
