import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import type { Choice } from '../../components/choices.tsx'
import { Combobox } from '../../components/combobox.tsx'
import { parseMoney } from '../../components/fields/parse.ts'
import { Icon } from '../../components/icon.tsx'
import { Kbd } from '../../components/kbd.tsx'
import { showToast } from '../../components/toast.tsx'
import { ApiProblem } from '../../data/api.ts'
import { boot, me } from '../../data/boot.ts'
import { create, patch } from '../../data/records.ts'
import { sources } from '../../data/sources.ts'
import { format } from '../../lib/locale.ts'
import { now } from '../../lib/now.ts'
import { navigate } from '../../router.ts'
import { t } from '../../texts/texts.ts'
import type { BoardStage } from './model.ts'
import { texts } from './texts/texts.ts'
import { useBoard } from './use-board.ts'

const searchCompanies = sources.search('company')
const createCompany = (name: string) => sources.create?.('company', name) ?? Promise.resolve(null)

type Money = { amount: number | null; currency: string | null }
type Given = { title: string; company: Choice | null; money: Money }

/**
 * A new deal at the top of a column: Enter adds it and stays for the next, Shift+Enter opens it, Esc closes. The API makes
 * deals in the first stage of a pipeline; another column moves it there.
 */
export function QuickAdd({ stage, isFirst }: { stage: BoardStage; isFirst: boolean }) {
  const { board, actions } = useBoard()
  const title = useRef<HTMLTextAreaElement>(null)
  const [text, setText] = useState(() => board.begun.peek())
  const [company, setCompany] = useState<Choice | null>(null)
  const [price, setPrice] = useState('')
  const [fault, setFault] = useState<{ at: 'title' | 'amount'; text: string } | null>(null)
  useLayoutEffect(() => {
    title.current?.focus()
    board.begun.value = ''
  }, [])
  useLayoutEffect(() => {
    const element = title.current
    if (!element) return
    element.style.height = 'auto'
    element.style.height = `${element.scrollHeight}px`
  }, [text])

  const close = () => {
    board.adding.value = null
    const at = board.at.peek()
    if (at) actions.focusCard(at)
  }
  const submit = (isOpened: boolean) => {
    const money = parseMoney(price, boot.peek().org.currency, {
      format: format.peek(),
      texts: t().fields,
      now: now.peek(),
    })
    if (text.trim() === '') {
      setFault({ at: 'title', text: texts().needsTitle })
      title.current?.focus()
    } else if ('error' in money) setFault({ at: 'amount', text: money.error })
    else {
      const given = { title: text.trim(), company, money: money.value as Money }
      void add(given, stage, { isFirst, isOpened, welcome: board.welcome, giveBack: () => setText(text) })
      setText('')
      setCompany(null)
      setPrice('')
      setFault(null)
      title.current?.focus()
    }
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.isComposing) return
    if (event.key === 'Enter') submit(event.shiftKey)
    else if (event.key === 'Escape') close()
    else {
      event.stopPropagation()
      return
    }
    event.preventDefault()
    event.stopPropagation()
  }
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the keys of all its inputs
    <div class="quick" onKeyDown={onKeyDown}>
      <textarea
        ref={title}
        rows={1}
        aria-label={texts().quickTitle}
        aria-invalid={fault?.at === 'title' || undefined}
        placeholder={texts().quickTitleExample}
        maxLength={255}
        value={text}
        onInput={(event) => {
          setText(event.currentTarget.value.replaceAll('\n', ' '))
          setFault(null)
        }}
      />
      <div class="two">
        <Combobox
          label={texts().quickCompany}
          placeholder={texts().quickCompany}
          value={company}
          search={searchCompanies}
          create={createCompany}
          clearable
          onPick={setCompany}
        />
        <input
          type="text"
          inputMode="decimal"
          autocomplete="off"
          aria-label={texts().quickAmount}
          aria-invalid={fault?.at === 'amount' || undefined}
          placeholder={boot.value.org.currency}
          value={price}
          onInput={(event) => {
            setPrice(event.currentTarget.value)
            setFault(null)
          }}
        />
      </div>
      {fault && (
        <p class="help late" role="alert">
          <Icon name="alert" small />
          {fault.text}
        </p>
      )}
      <div class="end">
        <button type="button" onClick={() => submit(false)}>
          <Kbd keys="Enter" /> {texts().quickAdd}
        </button>
        <span class="grow" />
        <button type="button" onClick={() => submit(true)}>
          <Kbd keys="⇧ Enter" /> {texts().quickOpen}
        </button>
        <button type="button" class="x" title={t().close} aria-label={t().close} onClick={close}>
          <Icon name="x" small />
        </button>
      </div>
    </div>
  )
}

type Then = {
  isFirst: boolean
  isOpened: boolean
  welcome: (id: string) => void
  /** Puts back what was typed. */
  giveBack: () => void
}

async function add({ title, company, money }: Given, stage: BoardStage, then: Then): Promise<void> {
  const { isFirst, isOpened, welcome, giveBack } = then
  const pipeline = boot.peek().stages.find(({ id }) => id === stage.id)?.pipeline_id
  const price = money.amount === null ? {} : money
  const companyId = company ? { company_id: company.value } : {}
  try {
    const made = await create('deals', { title, ...companyId, ...price, owner_id: me.peek().id, pipeline_id: pipeline })
    welcome(made.id)
    if (!isFirst) await patch('deals', made.id, { stage: stage.id })
    if (isOpened) await navigate(`/deals/${made.id}`)
    else
      showToast({
        text: texts().added(title),
        action: { label: texts().openDeal, run: () => void navigate(`/deals/${made.id}`) },
      })
  } catch (error) {
    giveBack()
    const why = error instanceof ApiProblem ? (error.errors[0]?.message ?? error.message) : ''
    showToast({ text: `${texts().refusedAdd}. ${why}`, kind: 'error' })
  }
}
