import { IconButton } from '../components/button.tsx'
import { Icon } from '../components/icon.tsx'
import type { PageKind } from '../components/kinds.ts'
import { MenuButton } from '../components/menu.tsx'
import { boot } from '../data/boot.ts'
import type { Deal, Rec } from '../data/types.ts'
import { isPlainClick } from '../lib/router/links.ts'
import { goBack } from '../lib/router.ts'
import { isPhone } from '../lib/widths.ts'
import { commandMenu } from '../shell/commands/command-menu.ts'
import { commandHints, runCommand } from '../shell/commands/listen.ts'
import { Present } from '../shell/present.tsx'
import { texts as shellTexts } from '../shell/texts.ts'
import { placeInTrail } from '../shell/trail.ts'
import { RECORD_MENU } from './record-commands.ts'
import { texts } from './texts.ts'
import { titleOf } from './title.tsx'

/** The top line of a record: the way back, its place in the list it came from, and what can be done with it. */
export function RecordBar({ kind, id, record }: { kind: PageKind; id: string; record: Rec | null | undefined }) {
  const place = placeInTrail(kind, id)
  const home = { href: place?.href ?? `/${kind}`, label: shellTexts().places[kind] }
  if (isPhone.value) {
    return (
      <header class="bar row strip record-bar">
        <IconButton plain icon="left" title={home.label} onClick={() => goBack(home.href)} />
        <span class="title row mute cut grow" dir="auto">
          {record && phoneTitle(kind, record, place)}
        </span>
        {record && <More kind={kind} />}
      </header>
    )
  }
  return (
    <header class="bar row strip record-bar">
      <nav class="crumb row" aria-label={shellTexts().path}>
        <a
          href={home.href}
          onClick={(event) => {
            if (!isPlainClick(event)) return
            event.preventDefault()
            goBack(home.href)
          }}
        >
          {home.label}
        </a>
        <Icon name="right" small />
        {record && kind === 'deals' && <PipelineCrumb deal={record as unknown as Deal} />}
        <b class="cut" dir="auto">
          {record ? titleOf(kind, record) : ''}
        </b>
      </nav>
      <div class="ends row end">
        <Present kind={kind} id={id} />
        {place && <Walk place={place} />}
        {record && (
          <>
            <IconButton
              plain
              icon="link"
              title={texts().commands.copyLink}
              onClick={() => runCommand('record.copy-link')}
            />
            <More kind={kind} />
          </>
        )}
      </div>
    </header>
  )
}

function phoneTitle(kind: PageKind, record: Rec, place: ReturnType<typeof placeInTrail>): string {
  const stage = kind === 'deals' ? boot.value.stages.find(({ id }) => id === record.stage)?.name : undefined
  return [stage ?? shellTexts().places[kind], place && texts().placeOf(place.at, place.of)].filter(Boolean).join(', ')
}

function PipelineCrumb({ deal }: { deal: Deal }) {
  const { stages, pipelines } = boot.value
  const pipeline = pipelines.find(({ id }) => id === stages.find((stage) => stage.id === deal.stage)?.pipeline_id)
  if (!pipeline) return null
  return (
    <>
      <a href={pipeline.is_default ? '/deals' : `/deals?pipeline=${pipeline.id}`}>{pipeline.name}</a>
      <Icon name="right" small />
    </>
  )
}

function Walk({ place }: { place: NonNullable<ReturnType<typeof placeInTrail>> }) {
  const words = texts().commands
  const button = (id: string, icon: 'up' | 'down', title: string, isThere: boolean) => {
    const { keys, aria } = commandHints(id)
    return (
      <IconButton
        plain
        icon={icon}
        title={keys ? `${title}, ${keys}` : title}
        aria-keyshortcuts={aria}
        off={isThere ? undefined : texts().noFurther}
        onClick={() => runCommand(id)}
      />
    )
  }
  return (
    <>
      <span class="small mute nowrap">{texts().placeOf(place.at, place.of)}</span>
      <span class="walk">
        {button('record.previous', 'up', words.previous, place.previous !== null)}
        {button('record.next', 'down', words.next, place.next !== null)}
      </span>
      <span class="sep" />
    </>
  )
}

function More({ kind }: { kind: PageKind }) {
  const label = texts().more
  return (
    <MenuButton
      plain
      class="icon"
      title={label}
      aria-label={label}
      menuLabel={label}
      align="end"
      groups={() => commandMenu(RECORD_MENU[kind])}
    >
      <Icon name="dots" />
    </MenuButton>
  )
}
