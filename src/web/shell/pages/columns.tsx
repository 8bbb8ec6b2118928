import type { ComponentChildren } from 'preact'
import { Avatar } from '../../components/avatar.tsx'
import { Icon, type IconName } from '../../components/icon.tsx'
import { MenuButton } from '../../components/menu.tsx'
import { State } from '../../components/state.tsx'
import { boot } from '../../data/boot.ts'
import { format } from '../../lib/locale.ts'
import { now } from '../../lib/now.ts'

/** A column of a list page. The first one holds the link to the row. */
export type Column<Row> = {
  title: string
  cell: (row: Row) => ComponentChildren
  /** As in CSS; columns without share what is left. */
  width?: string
  /** The width on a phone, or null if it is not there. */
  phone?: string | null
  /** At the right edge. */
  isNumber?: boolean
}

type More = Pick<Column<never>, 'width' | 'phone'>

const dim = (text: ComponentChildren) => <span class="dim">{text}</span>

/** Few words. */
const text = <Row,>(title: string, of: (row: Row) => string, more: More = {}): Column<Row> => ({
  title,
  cell: (row) => dim(of(row)),
  ...more,
})

type Named = {
  name: string
  /** A round picture of somebody, or an icon of the kind of thing. */
  mark: { kind: 'member' | 'contact' | 'nobody'; id?: string } | IconName
  /** Quiet words behind the name, and a line below it. */
  note?: string | false
  below?: string
}

/** Who or what the row is. */
const name = <Row,>(title: string, of: (row: Row) => Named, more: More = {}): Column<Row> => ({
  title,
  cell(row) {
    const { name, mark, note, below } = of(row)
    return (
      <>
        {typeof mark === 'string' ? <Icon name={mark} /> : <Avatar {...mark} name={name} size={24} />}
        <span class="cut" dir="auto">
          <span class="mid">{name}</span> {note && <span class="mute">{note}</span>}
          {below !== undefined && (
            <small class="cut" dir="auto">
              {below}
            </small>
          )}
        </span>
      </>
    )
  },
  ...more,
})

type Standing = { is?: 'good' | 'warn' | 'late' | 'hollow' | undefined; text: string; below?: string | undefined }

/** How it stands, as a dot and a word. */
const state = <Row,>(title: string, of: (row: Row) => Standing, more: More = {}): Column<Row> => ({
  title,
  cell(row) {
    const { is, text, below } = of(row)
    return (
      <>
        <State {...(is ? { is } : {})}>{text}</State>
        {below !== undefined && <small>{below}</small>}
      </>
    )
  },
  ...more,
})

/** A time as people say it, such as "today 09:58". */
const when = <Row,>(
  title: string,
  of: (row: Row) => string | null | undefined,
  { none = '—', ...more }: More & { none?: string; isNumber?: boolean } = {},
): Column<Row> => ({
  title,
  cell(row) {
    const at = of(row)
    return dim(at ? format.value.when(at, now.value) : none)
  },
  ...more,
})

const count = <Row,>(title: string, of: (row: Row) => number | null, more: More = {}): Column<Row> => ({
  title,
  isNumber: true,
  cell(row) {
    const number = of(row)
    return number === null ? '—' : format.value.number(number)
  },
  ...more,
})

/** The member to whom it belongs, as a picture with the name as its title. */
const member = <Row,>(title: string, of: (row: Row) => string | null, more: More = {}): Column<Row> => ({
  title,
  cell(row) {
    const found = boot.value.members.find(({ id }) => id === of(row))
    return found ? <Avatar kind="member" id={found.id} name={found.name} alone /> : <span class="mute">—</span>
  },
  ...more,
})

type ChoiceOf<Row, Value extends string> = More & {
  of: (row: Row) => Value
  names: Readonly<Record<Value, string>>
  /** What it can be changed to; none if it cannot be changed. */
  choices: (row: Row) => readonly Value[]
  /** Of the button, such as "Change the role of Ana". */
  label: (row: Row) => string
  onPick: (row: Row, value: Value) => void
}

/** One of a few, changed in place by a menu. */
const choice = <Row, Value extends string>(
  title: string,
  { of, names, choices, label, onPick, ...more }: ChoiceOf<Row, Value>,
): Column<Row> => ({
  title,
  cell(row) {
    const value = of(row)
    const offered = choices(row)
    if (offered.length === 0) return dim(names[value])
    return (
      <MenuButton
        plain
        class="in-cell"
        menuLabel={label(row)}
        aria-label={`${label(row)}: ${names[value]}`}
        groups={() => [
          {
            items: offered.map((each) => ({
              label: names[each],
              checked: each === value,
              onPick: () => each !== value && onPick(row, each),
            })),
          },
        ]}
      >
        {names[value]}
        <Icon name="down" small />
      </MenuButton>
    )
  },
  ...more,
})

/** The columns that there are, for rows of one type. */
export const columnsOf = <Row,>() => ({
  text: text<Row>,
  name: name<Row>,
  state: state<Row>,
  when: when<Row>,
  count: count<Row>,
  member: member<Row>,
  choice: <Value extends string>(title: string, given: ChoiceOf<Row, Value>) => choice<Row, Value>(title, given),
})
export type Columns<Row> = ReturnType<typeof columnsOf<Row>>
