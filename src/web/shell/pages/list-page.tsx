import type { ComponentChildren } from 'preact'
import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import { Button } from '../../components/button.tsx'
import { Empty } from '../../components/empty.tsx'
import type { IconName } from '../../components/icon.tsx'
import { sayWhy } from '../../components/say-why.ts'
import { Bar as Grey } from '../../components/skeleton.tsx'
import { query } from '../../lib/router.ts'
import { rovingKeys } from '../../lib/roving.ts'
import { words } from '../../lib/texts/words/texts.ts'
import { Bar } from '../bar.tsx'
import { CommandButton } from '../commands/command-button.tsx'
import { register } from '../commands/registry.ts'
import { SettingsFrame } from '../settings-frame.tsx'
import { type Column, type Columns, columnsOf } from './columns.tsx'
import './list-page.css'

export type Tabs<Row> = {
  /** The name in the address: ?state=active. */
  by: string
  values: readonly string[]
  of: (row: Row) => string
  names: Readonly<Record<string, string>>
  /** For those who hear the page: "Members by state". */
  label: string
}

type Create = {
  /** Of the command, such as "members.invite". */
  id: string
  title: () => string
  keys: string
  icon?: IconName
  /** A form below the rows, or a dialog. Takes what closes it. */
  form: (close: () => void) => ComponentChildren
  onOpen?: () => void
}

type ListPageProps<Row> = {
  /** Its address, such as /settings/members. Below /settings it stands in the frame of the settings. */
  at: string
  title: string
  summary?: ComponentChildren
  actions?: ComponentChildren
  /** Undefined while the first of them are on their way. */
  rows: readonly Row[] | undefined
  /** Why they could not be read, and how that is tried again. */
  error?: unknown
  again?: () => unknown
  /** Loads more, while there are any. */
  more?: (() => unknown) | undefined
  idOf: (row: Row) => string
  /** Where a row leads: to a page, or to its panel. */
  hrefOf: (row: Row) => string
  columns: (column: Columns<Row>) => readonly Column<Row>[]
  tabs?: Tabs<Row>
  /** At the end of the line of the tabs. */
  aside?: string
  /** Rows of two lines, which stand under each other on a phone. */
  isTall?: boolean
  create?: Create | undefined
  /** Where there is nothing, in this tab or at all. */
  empty: (tab: string) => { icon?: IconName; title: string; text: string }
  /** Between the rows and the form. */
  children?: ComponentChildren
  /** Of the row that is open, at the right; instead of the list where there is no room. */
  panel?: { id: string; of: (row: Row) => ComponentChildren } | undefined
}

/** A page of things in rows: tabs, a table, a panel, a form for a new one, its command and its keys. */
export function ListPage<Row>(props: ListPageProps<Row>) {
  const { at, title, summary, actions, rows, columns, tabs, aside, create, panel, idOf } = props
  const [isMaking, setMaking] = useState(false)
  const latest = useRef(create)
  latest.current = create
  const hasCreate = create !== undefined
  useLayoutEffect(() => {
    if (!latest.current) return
    const { id, keys, icon = 'plus' } = latest.current
    const run = () => {
      setMaking(true)
      latest.current?.onOpen?.()
    }
    return register([{ id, keys, icon, group: 'new', title: () => latest.current?.title() ?? '', run }])
  }, [hasCreate])

  const tab = tabs?.values.find((value) => value === query.value.get(tabs.by)) ?? 'all'
  const shown = rows?.filter((row) => tab === 'all' || tabs?.of(row) === tab)
  const open = panel && rows?.find((row) => idOf(row) === panel.id)
  const top = {
    title,
    summary,
    actions: (
      <>
        {actions}
        {create && <CommandButton id={create.id} first isIconOnPhone />}
      </>
    ),
  }
  const isSetting = at.startsWith('/settings/')
  const body = (
    <div
      class={['lp', open && 'has-panel', !isSetting && 'alone scroll'].filter(Boolean).join(' ')}
      data-scroll={at.split('/').at(-1)}
    >
      <div class="lp-list fill">
        {(tabs || aside) && (
          <div class="filters row strip">
            {tabs && <TabLine at={at} tabs={tabs} tab={tab} rows={rows ?? []} />}
            {aside && (
              <span class="small mute cut end" dir="auto">
                {aside}
              </span>
            )}
          </div>
        )}
        <section class="table">
          {props.error !== undefined && rows === undefined ? (
            <Empty
              icon="alert"
              title={words().notRead}
              actions={props.again && <Button onClick={() => void props.again?.()}>{words().again}</Button>}
            >
              {sayWhy(props.error)}
            </Empty>
          ) : shown?.length === 0 ? (
            <Nothing
              {...props.empty(tab)}
              create={tab === 'all' ? create : undefined}
              onCreate={() => setMaking(true)}
            />
          ) : (
            <Table {...props} rows={shown} columns={columns(columnsOf<Row>())} openId={open && idOf(open)} />
          )}
          {props.more && shown !== undefined && (
            <Button plain onClick={() => void props.more?.()}>
              {words().more}
            </Button>
          )}
        </section>
        {create && isMaking && <section>{create.form(() => setMaking(false))}</section>}
        {props.children}
      </div>
      {open && panel?.of(open)}
    </div>
  )
  if (isSetting) return <SettingsFrame {...top}>{body}</SettingsFrame>
  return (
    <>
      <Bar {...top} />
      {body}
    </>
  )
}

type TabLineProps<Row> = { at: string; tabs: Tabs<Row>; tab: string; rows: readonly Row[] }

function TabLine<Row>({ at, tabs: { by, values, of, names, label }, tab, rows }: TabLineProps<Row>) {
  return (
    <nav class="tabs" aria-label={label}>
      {['all', ...values].map((value) => (
        <a
          key={value}
          href={value === 'all' ? at : `${at}?${by}=${value}`}
          aria-current={value === tab ? 'page' : undefined}
        >
          {value === 'all' ? words().all : names[value]}{' '}
          <span class="n">{value === 'all' ? rows.length : rows.filter((row) => of(row) === value).length}</span>
        </a>
      ))}
    </nav>
  )
}

type NothingProps = { title: string; text: string; icon?: IconName; create?: Create | undefined; onCreate: () => void }

function Nothing({ title, text, icon, create, onCreate }: NothingProps) {
  return (
    <Empty
      icon={icon}
      title={title}
      actions={
        create && (
          <Button first icon={create.icon ?? 'plus'} onClick={onCreate}>
            {create.title()}
          </Button>
        )
      }
    >
      {text}
    </Empty>
  )
}

type TableProps<Row> = Pick<ListPageProps<Row>, 'rows' | 'idOf' | 'hrefOf' | 'isTall'> & {
  columns: readonly Column<Row>[]
  openId: string | undefined
}

function Table<Row>({ rows, columns, idOf, hrefOf, isTall, openId }: TableProps<Row>) {
  const classOf = ({ isNumber, phone }: Column<Row>) =>
    [isNumber && 'num', phone === null && 'not-on-phone'].filter(Boolean).join(' ') || undefined
  return (
    <table
      class={isTall ? 'grid rows tall' : 'grid rows'}
      onKeyDown={rovingKeys('tbody a', { axis: 'vertical', ends: true })}
    >
      <colgroup>
        {columns.map((column, at) => (
          <col
            key={at}
            class={classOf(column)}
            style={{ '--width': column.width, '--width-on-phone': column.phone ?? column.width }}
          />
        ))}
      </colgroup>
      <thead>
        <tr>
          {columns.map((column, at) => (
            <th key={at} scope="col" class={classOf(column)}>
              {column.title}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows
          ? rows.map((row) => (
              <tr key={idOf(row)} class={idOf(row) === openId ? 'is-at' : undefined}>
                {columns.map((column, at) => (
                  <td key={at} class={classOf(column)}>
                    {at > 0 ? (
                      column.cell(row)
                    ) : (
                      <a class="row who" href={hrefOf(row)} aria-current={idOf(row) === openId ? 'true' : undefined}>
                        {column.cell(row)}
                      </a>
                    )}
                  </td>
                ))}
              </tr>
            ))
          : [0, 1, 2, 3].map((row) => (
              <tr key={row} aria-busy="true">
                <td colSpan={columns.length}>
                  <Grey row={row} />
                </td>
              </tr>
            ))}
      </tbody>
    </table>
  )
}
