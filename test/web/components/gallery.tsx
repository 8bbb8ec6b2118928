// biome-ignore-all lint/a11y/useSemanticElements: rows of a windowed list stand in a div
// biome-ignore-all lint/a11y/noNoninteractiveTabindex: what scrolls can be reached by keys, and so can a cell
import { type Signal, signal } from '@preact/signals'
import { render } from 'preact'
import { useState } from 'preact/hooks'
import { Avatar } from '../../../src/web/components/avatar.tsx'
import { Banner } from '../../../src/web/components/banner.tsx'
import { Button, IconButton } from '../../../src/web/components/button.tsx'
import { Check, Switch } from '../../../src/web/components/check.tsx'
import { Chip } from '../../../src/web/components/chip.tsx'
import { Combobox, MultiCombobox } from '../../../src/web/components/combobox.tsx'
import { Confirm, confirmFinal } from '../../../src/web/components/confirm.tsx'
import { Empty } from '../../../src/web/components/empty.tsx'
import { ErrorBoundary } from '../../../src/web/components/error-boundary.tsx'
import { CellEditor } from '../../../src/web/components/fields/cell-editor.tsx'
import type { Field, FieldState, FieldType } from '../../../src/web/components/fields/field.ts'
import { FormField } from '../../../src/web/components/fields/form-field.tsx'
import { Property } from '../../../src/web/components/fields/inline-edit.tsx'
import { type Sources, SourcesContext } from '../../../src/web/components/fields/sources.ts'
import { useForm } from '../../../src/web/components/fields/use-form.ts'
import { Value } from '../../../src/web/components/fields/value.tsx'
import { useFocusRow } from '../../../src/web/components/focus-row.ts'
import { Icon, type IconName } from '../../../src/web/components/icon.tsx'
import { ICONS } from '../../../src/web/components/icons.ts'
import { MenuButton } from '../../../src/web/components/menu.tsx'
import { Money, Sum } from '../../../src/web/components/money.tsx'
import { MORE_ICONS } from '../../../src/web/components/more-icons.ts'
import { Pips } from '../../../src/web/components/pips.tsx'
import { Segmented } from '../../../src/web/components/segmented.tsx'
import { SidePanel } from '../../../src/web/components/side-panel.tsx'
import { Bar } from '../../../src/web/components/skeleton.tsx'
import { Sla } from '../../../src/web/components/sla.tsx'
import { State } from '../../../src/web/components/state.tsx'
import { Tabs } from '../../../src/web/components/tabs.tsx'
import { Tags } from '../../../src/web/components/tag.tsx'
import { showToast, Toasts } from '../../../src/web/components/toast.tsx'
import { Windowed } from '../../../src/web/components/windowed.tsx'
import { locale } from '../../../src/web/lib/locale.ts'
import { takeTextsFrom } from '../../../src/web/lib/texts/files.ts'
import type { Language } from '../../../src/web/lib/texts/like.ts'
import { setLanguage } from '../../../src/web/lib/texts/texts.ts'
import { textFiles } from '../../../src/web/screens/texts/files.ts'

// A page of all components for tests and for looking at them beside the kit. Nothing of it ships.

const query = new URLSearchParams(location.search)
const theme = query.get('theme')
if (theme !== null) document.documentElement.dataset.theme = theme
Date.now = () => Date.parse('2026-11-24T09:06:00Z')
const language = (query.get('language') ?? 'en') as Language
locale.value = { language, timezone: 'Europe/Berlin' }

/** What was saved and picked, for the tests to read. */
const log: unknown[] = []
Object.assign(window, { log })

const MEMBERS = [
  { id: 'm-jonas', name: 'Jonas Lindqvist', email: 'jonas@tarn.example', status: 'active' },
  { id: 'm-ana', name: 'Ana Kovačević', email: 'ana@tarn.example', status: 'active' },
  { id: 'm-priya', name: 'Priya Raman', email: 'priya@tarn.example', status: 'active' },
  { id: 'm-joao', name: 'João Pedro Vasconcelos', email: 'joao@tarn.example', status: 'active' },
]
const COMPANIES = [
  { value: 'c-1', label: 'Øresund Robotics ApS', note: 'oresund.example' },
  { value: 'c-2', label: 'Grünwald Messtechnik', note: 'gruenwald.example' },
]
const sources: Sources = {
  members: () => MEMBERS,
  tags: () => [
    { id: 't-1', name: 'Key account', color: '#b4532a' },
    { id: 't-2', name: 'Reference', color: '#2f7d5b' },
    { id: 't-3', name: 'Service', color: '#5b6bb5' },
  ],
  nameOf: (_kind, id) => COMPANIES.find(({ value }) => value === id)?.label,
  hrefOf: (_kind, id) => `/companies/${id}`,
  search: () => async (typed) => COMPANIES.filter(({ label }) => label.toLowerCase().includes(typed.toLowerCase())),
  create: async (kind, name) => {
    log.push({ create: kind, name })
    return { value: `new-${name}`, label: name }
  },
  currency: () => 'EUR',
  country: () => 'DE',
}

function Section({ title, children }: { title: string; children: preact.ComponentChildren }) {
  return (
    <section>
      <h2>{title}</h2>
      {children}
    </section>
  )
}

const St = ({ name, children }: { name: string; children: preact.ComponentChildren }) => (
  <div class="st">
    <span>{name}</span>
    {children}
  </div>
)

function Buttons() {
  return (
    <Section title="Buttons">
      <div class="sts">
        <St name="First">
          <Button first icon="plus" keys="N">
            New deal
          </Button>
        </St>
        <St name="Normal">
          <Button>Save view</Button>
        </St>
        <St name="Working">
          <Button working="Saving…">Save view</Button>
        </St>
        <St name="Plain">
          <Button plain icon="filter" keys="F">
            Filter
          </Button>
        </St>
        <St name="Off, says why on hover">
          <Button off="Choose two contacts">Merge</Button>
        </St>
        <St name="Danger">
          <Button danger icon="trash">
            Delete
          </Button>
        </St>
        <St name="Danger, last word">
          <Button first danger>
            Delete sequence
          </Button>
        </St>
        <St name="Icon">
          <IconButton icon="x" title="Close" plain />
        </St>
        <St name="Split">
          <span class="split">
            <Button first>Send</Button>
            <IconButton first icon="down" title="More ways to send" />
          </span>
        </St>
      </div>
    </Section>
  )
}

const OPTIONS = [
  { value: 'gold', label: 'Gold', color: '#b4532a' },
  { value: 'silver', label: 'Silver' },
]
const SAMPLES: [FieldType, unknown][] = [
  ['text', 'Plant board'],
  ['long_text', 'First line of a text\nand a second one'],
  ['number', 1234.5],
  ['money', { amount: '48500', currency: 'EUR' }],
  ['date', '2026-12-18'],
  ['datetime', '2026-11-24T14:00:00.000Z'],
  ['boolean', true],
  ['select', 'gold'],
  ['multi_select', ['gold', 'silver']],
  ['url', 'https://www.example.com/'],
  ['email', 'mira@example.com'],
  ['phone', '+49 30 901820'],
  ['emails', [{ email: 'mira@example.com', label: 'work', is_primary: true }]],
  ['phones', []],
  ['member', 'm-jonas'],
  ['company', 'c-1'],
  ['contacts', []],
  ['tags', ['t-1', 't-3']],
  ['address', { line1: 'Hauptstraße 5', city: 'Berlin', postal_code: '10827', country: 'DE' }],
]
const fieldOf = (type: FieldType): Field => ({ key: type, label: type.replace('_', ' '), type, options: OPTIONS })
const stored = new Map<FieldType, Signal<unknown>>(SAMPLES.map(([type, value]) => [type, signal(value)]))

function Properties() {
  return (
    <Section title="Properties">
      <dl class="props">
        {SAMPLES.map(([type]) => {
          const value = stored.get(type)
          return (
            <Property
              key={type}
              field={fieldOf(type)}
              value={value?.value}
              onSave={(next) => {
                log.push({ save: type, value: next })
                if (value) value.value = next
              }}
            />
          )
        })}
      </dl>
    </Section>
  )
}

const states: Record<string, Signal<FieldState>> = {
  saving: signal({ state: 'saving' }),
  saved: signal({ state: 'saved' }),
  refused: signal({ state: 'refused', message: 'The year must be 2035 or earlier.', mine: 'Plant boards' }),
  conflict: signal({
    state: 'conflict',
    mine: 'both plants',
    theirs: 'December',
    by: 'm-ana',
    at: '2026-11-24T09:05:00Z',
  }),
  long: signal({
    state: 'conflict',
    mine: 'Plant board, both plants in one order',
    theirs: 'Plant board, 3 December, then group purchasing',
    by: 'm-ana',
    at: '2026-11-24T09:05:00Z',
  }),
}

function States() {
  return (
    <Section title="Inline edit, states">
      <dl class="props">
        {Object.entries(states).map(([name, state]) => (
          <Property
            key={name}
            field={{ key: name, label: name, type: name === 'long' ? 'long_text' : 'text' }}
            value="Plant board"
            state={state}
            onSave={(value) => log.push({ save: name, value })}
            onUseMine={() => log.push(`${name}: mine`)}
            onUseTheirs={() => log.push(`${name}: theirs`)}
          />
        ))}
      </dl>
    </Section>
  )
}

const FORM: Field[] = [
  { key: 'title', label: 'Title', type: 'text', is_required: true, example: 'What are you selling?' },
  { key: 'amount', label: 'Amount', type: 'money', is_required: true },
  { key: 'tier', label: 'Tier', type: 'select', options: OPTIONS },
  { key: 'owner', label: 'Owner', type: 'member', is_required: true },
  { key: 'emails', label: 'Emails', type: 'emails' },
  { key: 'closed', label: 'Fixed', type: 'text', off: 'Fixed by owner' },
]

function Form() {
  const form = useForm(FORM)
  return (
    <Section title="Form">
      <form
        class="form"
        noValidate
        onSubmit={(event) => {
          event.preventDefault()
          log.push({ submit: form.check(event.currentTarget) ?? null })
        }}
      >
        {FORM.map((field) => (
          <FormField key={field.key} {...form.of(field)} />
        ))}
        <Button first type="submit">
          Add deal
        </Button>
      </form>
    </Section>
  )
}

function Choosing() {
  const [owner, setOwner] = useState<{ value: string; label: string } | null>(null)
  const [tags, setTags] = useState<{ value: string; label: string }[]>([])
  const people = MEMBERS.map(({ id, name }) => ({
    value: id,
    label: name,
    mark: <Avatar kind="member" id={id} name={name} />,
  }))
  return (
    <Section title="Choosing">
      <label class="label" for="combo-owner">
        Assignee
      </label>
      <div class="input">
        <Combobox
          id="combo-owner"
          label="Assignee"
          value={owner}
          choices={people}
          clearable
          onPick={(choice) => {
            log.push({ pick: choice?.value ?? null })
            setOwner(choice)
          }}
          create={async (name) => ({ value: `new-${name}`, label: name })}
        />
      </div>
      <label class="label" for="combo-tags">
        Watchers
      </label>
      <div class="input">
        <MultiCombobox id="combo-tags" label="Watchers" value={tags} choices={people} onChange={setTags} />
      </div>
      <div class="ln">
        <MenuButton
          menuLabel="More"
          icon="dots"
          groups={() => [
            {
              items: [
                { label: 'Rename', icon: 'pen', keys: 'R', onPick: () => log.push('rename') },
                { label: 'Copy link', icon: 'copy', keys: 'C', onPick: () => log.push('copy') },
                { label: 'Pin', icon: 'pin', keys: 'P', off: 'Only its owner pins it', onPick: () => log.push('pin') },
              ],
            },
            { items: [{ label: 'Delete', icon: 'trash', danger: true, onPick: () => log.push('delete') }] },
          ]}
        >
          More
        </MenuButton>
        <Button
          danger
          onClick={async () =>
            log.push(
              await confirmFinal({
                title: 'Delete the sequence “After the demo”?',
                text: '61 enrollments stop today and 12 scheduled ones never start.',
                keep: 'Keep it',
                verb: 'Delete sequence',
              }),
            )
          }
        >
          Delete for good
        </Button>
        <Button
          onClick={() => showToast({ text: '3 contacts deleted', icon: 'trash', undo: () => log.push('undone') })}
        >
          Toast
        </Button>
        <Button onClick={() => showToast({ text: 'Mail to Ilona was not sent', kind: 'error' })}>Error</Button>
      </div>
    </Section>
  )
}

function Small() {
  const [shape, setShape] = useState<'board' | 'table'>('board')
  const [tab, setTab] = useState<'note' | 'mail'>('note')
  const [on, setOn] = useState(true)
  return (
    <Section title="Small things">
      <div class="ln">
        <Avatar kind="member" id="m-jonas" name="Jonas Lindqvist" size={16} />
        <Avatar kind="member" id="m-ana" name="Ana Kovačević" alone />
        <Avatar kind="contact" name="Fatima Haddad" size={24} />
        <Avatar kind="company" name="Øresund Robotics" size={32} />
        <Avatar kind="nobody" name="No owner" size={24} />
      </div>
      <div class="ln">
        <Pips of={5} at={3} />
        <Pips of={5} at={5} outcome="won" />
        <Pips of={5} at={5} outcome="lost" />
        <Tags
          tags={[
            { name: 'Key account', color: '#b4532a' },
            { name: 'Reference', color: '#2f7d5b' },
          ]}
        />
      </div>
      <div class="ln">
        <Sla state="ok" left={0.82} text="3 h 40" />
        <Sla state="risk" left={0.18} text="18 min" />
        <Sla state="over" text="1 h 05 late" />
        <Sla state="met" text="answered" />
        <Sla state="hold" text="paused" />
      </div>
      <div class="ln">
        <State is="good">Connected</State>
        <State is="warn">Paused by Jonas</State>
        <State is="late">Failed: bounce</State>
        <State is="hollow">Scheduled</State>
        <State>Deactivated</State>
      </div>
      <div class="ln">
        <Money amount="48500" currency="CHF" />
        <Sum>
          <Money amount="56320.5" currency="CHF" decimals="all" />
        </Sum>
        <Bar row={1} />
        <Chip field="Owner" operator="is" removeTitle="Remove Owner" onRemove={() => {}} onOpen={() => {}}>
          Zoë
        </Chip>
      </div>
      <div class="ln">
        <Check checked={on} onChange={setOn}>
          With names
        </Check>
        <Check checked={false} some onChange={setOn} title="Some" />
        <Check checked round onChange={setOn} title="Done" />
        <Switch checked={on} onChange={setOn} title="Shortcuts" />
        <Segmented
          label="Shape"
          value={shape}
          choices={[
            { value: 'board', label: 'Board', icon: 'deal' },
            { value: 'table', label: 'Table', icon: 'table' },
          ]}
          onChange={setShape}
        />
      </div>
      <div class="ln">
        <Tabs
          label="Write"
          value={tab}
          panel="gallery-panel"
          tabs={[
            { value: 'note', label: 'Note' },
            { value: 'mail', label: 'Mail', count: 3 },
          ]}
          onChange={setTab}
        />
        <div id="gallery-panel" role="tabpanel" aria-labelledby={`gallery-panel-${tab}`}>
          {tab}
        </div>
      </div>
      <div class="icons">
        {(Object.keys({ ...ICONS, ...MORE_ICONS }) as IconName[]).map((name) => (
          <Icon key={name} name={name} />
        ))}
      </div>
    </Section>
  )
}

const KEYS = Array.from({ length: 5000 }, (_, index) => `row-${index}`)

function Lists() {
  const rows = useFocusRow(KEYS.length)
  return (
    <Section title="Lists">
      {/* biome-ignore lint/a11y/noStaticElementInteractions: the keys are those of the rows */}
      <div class="list" id="fixed" data-scroller onKeyDown={rows.onKeyDown}>
        <Windowed
          keys={KEYS}
          rowHeight={36}
          label="Fixed rows"
          ref={rows.list}
          render={(index, props) => (
            <div key={KEYS[index]} role="listitem" {...props}>
              <button
                type="button"
                tabIndex={rows.tabIndex(index)}
                style={{ height: '36px' }}
                onFocus={() => rows.set(index)}
              >
                Row {index}
              </button>
            </div>
          )}
        />
      </div>
      <div class="list" id="measured" data-scroller tabIndex={0} role="region" aria-label="Cards">
        <Windowed
          keys={KEYS}
          rowHeight={60}
          measured
          gap={6}
          label="Measured rows"
          render={(index, props) => (
            <div key={KEYS[index]} role="listitem" {...props}>
              <div style={{ height: `${40 + (index % 5) * 20}px` }}>Card {index}</div>
            </div>
          )}
        />
      </div>
    </Section>
  )
}

function Cell() {
  const [isEdited, setEdited] = useState<string | undefined | false>(false)
  const [value, setValue] = useState<unknown>('2026')
  const field: Field = { key: 'cell', label: 'Employees', type: 'number' }
  return (
    <Section title="Cell and states">
      <table>
        <tbody>
          <tr>
            <td
              id="cell"
              tabIndex={0}
              class={isEdited === false ? '' : 'is-cell-edit'}
              style={{ width: '160px', height: '36px', padding: '0 10px' }}
              onKeyDown={(event) => {
                if (isEdited !== false) return
                if (event.key === 'Enter') setEdited(undefined)
                else if (event.key.length === 1) setEdited(event.key)
                else return
                event.preventDefault()
              }}
            >
              {isEdited === false ? (
                <Value value={value} field={field} />
              ) : (
                <CellEditor
                  field={field}
                  value={value}
                  startWith={isEdited}
                  onSave={setValue}
                  onUnread={() => undefined}
                  onDone={(how) => {
                    log.push(how)
                    setEdited(false)
                  }}
                />
              )}
            </td>
          </tr>
        </tbody>
      </table>
      <Banner action={<Button plain>Try now</Button>}>
        <b class="mid">No connection to crm.tarn.local</b> since 10:02
      </Banner>
      <Banner late icon="alert">
        2 changes could not be kept
      </Banner>
      <Empty icon="person" title="No contacts yet" actions={<Button first>Import a CSV</Button>}>
        Mail that reaches your inbox makes contacts by itself.
      </Empty>
      <ErrorBoundary>
        <Faulty />
      </ErrorBoundary>
    </Section>
  )
}

let isBroken = true
Object.assign(window, { mend: () => (isBroken = false) })
function Faulty() {
  if (isBroken) throw new Error('A mistake for the gallery')
  return <p>Mended</p>
}

function Panels() {
  const [isOpen, setOpen] = useState(false)
  return (
    <Section title="Side panel">
      <button type="button" id="peek" onClick={() => setOpen(true)}>
        Peek
      </button>
      {isOpen && (
        <SidePanel title="Multi-site rollout" onClose={() => setOpen(false)}>
          <button type="button">Inside</button>
        </SidePanel>
      )}
    </Section>
  )
}

function Gallery() {
  return (
    <SourcesContext.Provider value={sources}>
      <main>
        <h1>Components</h1>
        <div class="all">
          <Buttons />
          <Choosing />
          <Small />
          <Properties />
          <States />
          <Form />
          <Lists />
          <Cell />
          <Panels />
        </div>
      </main>
      <Toasts />
      <Confirm />
    </SourcesContext.Provider>
  )
}

takeTextsFrom(textFiles)
await setLanguage(language)
render(<Gallery />, document.body)
document.body.dataset.ready = 'yes'
