import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { Button } from '../../components/button.tsx'
import { Empty } from '../../components/empty.tsx'
import { sayWhy } from '../../components/say-why.ts'
import { Bar as Grey } from '../../components/skeleton.tsx'
import { isAdmin } from '../../data/may.ts'
import { words as pageWords } from '../../lib/texts/words/texts.ts'
import { CommandButton } from '../../shell/commands/command-button.tsx'
import { register } from '../../shell/commands/registry.ts'
import { useAsk } from '../../shell/pages/ask.ts'
import { attempt } from '../../shell/pages/attempt.ts'
import { texts as settingsTexts } from '../../shell/settings/texts.ts'
import { SettingsFrame } from '../../shell/settings-frame.tsx'
import { offerLocal } from '../../shell/steps/local.ts'
import { RuleCard } from './card.tsx'
import { RuleEditor } from './editor.tsx'
import { texts } from './texts.ts'
import './rules.css'
import {
  bringBack,
  changeRule,
  deleteRule,
  type Listed,
  moveRule,
  type RuleShown,
  type Tried,
  tryRules,
} from './wire.ts'

/** The rules as sentences, with what each would have done with the last mails. Administrators change them. */
export default function Rules() {
  const { value, error, again, set } = useAsk<Listed>('/app/rules', ['rules', 'tags', 'members'])
  const tried = useTried(value)
  const [edited, setEdited] = useState<RuleShown | 'new' | undefined>(undefined)
  const [told, setTold] = useState('')
  const list = useRef<HTMLOListElement>(null)
  const latest = useRef(value)
  latest.current = value
  const words = texts()
  const rules = value?.data ?? []
  const mayChange = isAdmin()

  useLayoutEffect(() => {
    if (!mayChange) return
    const run = () => setEdited('new')
    return register([{ id: 'rules.create', title: () => texts().create, keys: 'n', icon: 'plus', group: 'new', run }])
  }, [mayChange])

  async function remove(rule: RuleShown): Promise<void> {
    const at = rules.indexOf(rule)
    const before = rules[at - 1]?.id ?? null
    const gone = await attempt(async () => {
      await deleteRule(rule)
      return true
    })
    await again()
    if (!gone) return
    offerLocal(words.removed(rule.name), async () => {
      const isThere = before === null || latest.current?.data.some(({ id }) => id === before)
      await attempt(() => bringBack(rule, isThere ? before : undefined), words.isBack(rule.name))
      await again()
    })
  }

  async function toggle(rule: RuleShown, is_active: boolean): Promise<void> {
    const said = is_active ? words.isOn(rule.name) : words.isOff(rule.name)
    await attempt(() => changeRule(rule.id, rule.version, { is_active }), said)
    await again()
  }

  /** To that place among them; the focus stays at what was pressed. */
  async function move(rule: RuleShown, to: number, focus?: 'up' | 'down'): Promise<void> {
    const rest = rules.filter(({ id }) => id !== rule.id)
    const at = Math.max(0, Math.min(to, rest.length))
    if (!value || rules[at]?.id === rule.id) return
    set({ ...value, data: rest.toSpliced(at, 0, rule) })
    const moved = await attempt(() => moveRule(rule, rest[at - 1]?.id ?? null))
    await again()
    if (moved) setTold(words.movedTo(rule.name, at + 1, rules.length))
    if (focus) list.current?.querySelector<HTMLElement>(`[data-rule="${rule.id}"] [data-move=${focus}]`)?.focus()
  }

  const close = (): void => {
    setEdited(undefined)
    void again()
  }
  const editedId = edited === 'new' ? 'new' : edited?.id
  // One that somebody deletes meanwhile stays open, with what was typed.
  const rows: (RuleShown | 'new')[] = [...rules]
  if (edited !== undefined && !rules.some(({ id }) => id === editedId)) rows.push(edited)
  return (
    <SettingsFrame
      title={settingsTexts().rules}
      summary={words.summary}
      actions={mayChange && rules.length > 0 && <CommandButton id="rules.create" first isIconOnPhone />}
    >
      {!value && error === undefined && [0, 1, 2].map((row) => <Grey key={row} row={row} />)}
      {!value && error !== undefined && (
        <Empty
          icon="alert"
          title={words.failed}
          actions={<Button onClick={() => void again()}>{pageWords().again}</Button>}
        >
          {sayWhy(error)}
        </Empty>
      )}
      {value && rules.length === 0 && edited === undefined && (
        <Empty
          icon="filter"
          title={words.none}
          actions={
            mayChange && (
              <Button first icon="plus" onClick={() => setEdited('new')}>
                {words.create}
              </Button>
            )
          }
        >
          {mayChange ? words.noneBody : `${words.noneBody} ${words.adminsChange}`}
        </Empty>
      )}
      {value && (rules.length > 0 || edited !== undefined) && (
        <div class="sheet rules">
          <p class="mute">{mayChange ? words.intro : `${words.intro} ${words.adminsChange}`}</p>
          <ol ref={list}>
            {rows.map((rule, at) =>
              rule === 'new' || editedId === rule.id ? (
                <li key={editedId} class="card">
                  <RuleEditor
                    begunWith={edited === 'new' ? undefined : edited}
                    now={rules.find(({ id }) => id === editedId)}
                    known={value}
                    again={again}
                    onClose={close}
                  />
                </li>
              ) : (
                <RuleCard
                  key={rule.id}
                  rule={rule}
                  tried={tried}
                  place={{ at, of: rules.length }}
                  mayChange={mayChange}
                  onEdit={() => setEdited(rule)}
                  onToggle={(isOn) => void toggle(rule, isOn)}
                  onMove={(to, focus) => void move(rule, to, focus)}
                  onDrop={(id) => {
                    const dropped = rules.find((each) => each.id === id)
                    if (dropped) void move(dropped, at)
                  }}
                  onRemove={() => void remove(rule)}
                />
              ),
            )}
          </ol>
          <p class="sr" role="status">
            {told}
          </p>
        </div>
      )}
    </SettingsFrame>
  )
}

/** What the stored rules would have done; undefined until it is known. */
function useTried(listed: Listed | undefined): Tried | undefined {
  const [tried, setTried] = useState<Tried | undefined>(undefined)
  useEffect(() => {
    if (!listed || listed.data.length === 0) return
    let isOver = false
    tryRules().then(
      (found) => !isOver && setTried(found),
      // The rules can be read without it.
      () => undefined,
    )
    return () => {
      isOver = true
    }
  }, [listed])
  return tried
}
