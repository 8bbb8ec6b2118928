import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import type { Choice } from '../../components/choices.tsx'
import { Combobox } from '../../components/combobox.tsx'
import { readAs } from '../../components/fields/field-types.ts'
import { reading } from '../../components/fields/figure-kinds.ts'
import { type Figures, figures, withFigures } from '../../components/fields/figures.ts'
import { FormField } from '../../components/fields/form-field.tsx'
import { ReadAs } from '../../components/fields/inline-edit.tsx'
import { Icon } from '../../components/icon.tsx'
import { Kbd } from '../../components/kbd.tsx'
import { makeDeal } from '../../components/new-deal/make.ts'
import { texts as dealTexts } from '../../components/new-deal/texts.ts'
import { sayFailed } from '../../components/say-failed.ts'
import { showToast } from '../../components/toast.tsx'
import { BegunBefore, useBegun } from '../../components/typed/begun.tsx'
import { tooLong } from '../../components/typed/too-long.tsx'
import { boot, me, memberName } from '../../data/boot.ts'
import { keepTyped } from '../../lib/keyboard.ts'
import { format } from '../../lib/locale.ts'
import { navigate } from '../../lib/router.ts'
import { t } from '../../lib/texts/texts.ts'
import { sources } from '../../shell/sources.ts'
import type { BoardStage } from '../../tables/deals/model.ts'
import { openedTexts } from '../../tables/deals/texts/opened.ts'
import { texts } from '../../tables/deals/texts/texts.ts'
import { useBoard } from './use-board.ts'

const searchCompanies = sources.search('company')
const createCompany = (name: string) => sources.create?.('company', name) ?? Promise.resolve(null)

const AMOUNT = { key: 'amount', label: '', type: 'money' } as const

type Money = { amount: number | null; currency: string | null }
type Given = { title: string; company: Choice | null; money: Money; owner: string | null; day: string | null }

/**
 * A new deal at the top of a column: Enter adds it and stays for the next, Shift+Enter opens it, Esc closes. The API makes
 * deals in the first stage of a pipeline; another column moves it there.
 */
export function QuickAdd({ stage, onClose: close }: { stage: BoardStage; onClose: () => void }) {
  const { board } = useBoard()
  const title = useRef<HTMLTextAreaElement>(null)
  const [given] = useState(() => board.begun.peek())
  const begun = useBegun(
    'deals',
    { text: '', company: null as Choice | null, price: '', owner: me.peek().id as string | null, date: '' },
    given !== '',
  )
  const { text, company, price, owner, date } = begun.values
  const [isWide, setWide] = useState(false)
  const [refusal, setFault] = useState<{ at: 'title' | 'amount' | 'date'; text: string } | null>(null)
  const long = tooLong(text.trim())
  const fault = refusal ?? (long === undefined ? null : { at: 'title' as const, text: long })
  useLayoutEffect(() => {
    title.current?.focus()
    if (given !== '') begun.set({ text: given })
    board.begun.value = ''
  }, [])
  useLayoutEffect(() => {
    const element = title.current
    if (!element) return
    element.style.height = 'auto'
    element.style.height = `${element.scrollHeight}px`
  }, [text])

  /** What was refused comes back, unless the next one has been begun. */
  const giveBack = (refused: Partial<typeof begun.values>) => {
    if (!begun.form.values.peek()) begun.set(refused)
  }
  const submit = (isOpened: boolean) => withFigures((figures) => submitWith(figures, isOpened))
  const submitWith = ({ parseMoney, parseDate }: Figures, isOpened: boolean) => {
    const day = parseDate(date, reading())
    const money = parseMoney(price, boot.peek().org.currency, reading())
    if (text.trim() === '') {
      setFault({ at: 'title', text: openedTexts().needsTitle })
      title.current?.focus()
    } else if (long !== undefined) title.current?.focus()
    else if ('error' in money) setFault({ at: 'amount', text: money.error })
    else if ('error' in day) setFault({ at: 'date', text: day.error })
    else {
      const given = { title: text.trim(), company, money: money.value as Money, owner, day: day.value as string | null }
      void add(given, stage, {
        isOpened,
        welcome: board.welcome,
        giveBack: () => giveBack({ text, company, price, owner, date }),
      })
      begun.clear()
      setFault(null)
      title.current?.focus()
    }
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Enter') submit(event.shiftKey)
    else if (event.key === 'Escape') close()
    else return keepTyped(event)
    event.preventDefault()
    event.stopPropagation()
  }
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the keys of all its inputs
    <div class="quick" onKeyDown={onKeyDown}>
      <BegunBefore form={begun.form} />
      <textarea
        ref={title}
        dir="auto"
        rows={1}
        aria-label={openedTexts().quickTitle}
        aria-invalid={fault?.at === 'title' || undefined}
        placeholder={openedTexts().quickTitleExample}
        value={text}
        onInput={(event) => {
          begun.set({ text: event.currentTarget.value.replaceAll('\n', ' ') })
          setFault(null)
        }}
      />
      <div class="two">
        <Combobox
          label={openedTexts().quickCompany}
          placeholder={openedTexts().quickCompany}
          value={company}
          search={searchCompanies}
          create={createCompany}
          clearable
          onPick={(choice) => begun.set({ company: choice && { value: choice.value, label: choice.label } })}
        />
        <input
          type="text"
          inputMode="decimal"
          autocomplete="off"
          aria-label={openedTexts().quickAmount}
          aria-invalid={fault?.at === 'amount' || undefined}
          placeholder={dealTexts().amountExample(boot.value.org.currency)}
          value={price}
          onInput={(event) => {
            begun.set({ price: event.currentTarget.value })
            setFault(null)
          }}
        />
      </div>
      {!fault && <ReadAs text={readAs({ text: price, currency: boot.value.org.currency }, AMOUNT)} />}
      {fault && fault.at !== 'date' && (
        <p class="help late" role="alert">
          <Icon name="alert" small />
          {fault.text}
        </p>
      )}
      {isWide ? (
        <div class="more">
          <FormField
            field={{ key: 'owner_id', label: dealTexts().owner, type: 'member' }}
            draft={owner}
            onDraft={(draft) => begun.set({ owner: draft as string | null })}
          />
          <FormField
            field={{ key: 'date', label: dealTexts().expected, type: 'text', help_text: dayReadAs(date) }}
            draft={date}
            error={fault?.at === 'date' ? fault.text : undefined}
            onDraft={(draft) => {
              begun.set({ date: String(draft ?? '') })
              setFault(null)
            }}
          />
        </div>
      ) : (
        <button type="button" class="shown" onClick={() => setWide(true)}>
          <span class="sr">{dealTexts().moreLabel}: </span>
          {dealTexts().more((owner && memberName(owner)) || dealTexts().nobody, dayReadAs(date) ?? dealTexts().noDate)}
        </button>
      )}
      <div class="end">
        <button type="button" onClick={() => submit(false)}>
          <Kbd keys="Enter" /> {openedTexts().quickAdd}
        </button>
        <span class="grow" />
        <button type="button" onClick={() => submit(true)}>
          <Kbd keys="⇧ Enter" /> {openedTexts().quickOpen}
        </button>
        <button type="button" class="x" title={t().close} aria-label={t().close} onClick={close}>
          <Icon name="x" small />
        </button>
      </div>
    </div>
  )
}

/** How a day that is typed is understood, before it is kept. */
function dayReadAs(text: string): string | undefined {
  const read = text.trim() === '' ? undefined : figures()?.parseDate(text, reading())
  return read && 'value' in read ? format.value.date(String(read.value)) : undefined
}

type Then = {
  isOpened: boolean
  welcome: (id: string) => void
  /** Puts back what was typed. */
  giveBack: () => void
}

async function add({ title, company, money, owner, day }: Given, stage: BoardStage, then: Then): Promise<void> {
  const { isOpened, welcome, giveBack } = then
  const price = money.amount === null ? {} : money
  const companyId = company ? { company_id: company.value } : {}
  try {
    const body = { title, ...companyId, ...price, owner_id: owner, ...(day ? { expected_close_date: day } : {}) }
    const { deal: made, step } = await makeDeal(body, stage.id, welcome)
    if (isOpened) await navigate(`/deals/${made.id}`)
    else
      showToast({
        text: openedTexts().added(title),
        step,
        action: { label: texts().openDeal, run: () => void navigate(`/deals/${made.id}`) },
      })
  } catch (error) {
    giveBack()
    sayFailed(openedTexts().refusedAdd, error)
  }
}
