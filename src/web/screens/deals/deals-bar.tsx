import { Button, IconButton } from '../../components/button.tsx'
import { Icon } from '../../components/icon.tsx'
import { later } from '../../components/later.tsx'
import { MenuButton } from '../../components/menu.tsx'
import { Segmented } from '../../components/segmented.tsx'
import { boot } from '../../data/boot.ts'
import { isPhone } from '../../lib/widths.ts'
import { Bar } from '../../shell/bar.tsx'
import { commandHints } from '../../shell/commands/listen.ts'
import { texts } from '../../tables/deals/texts/texts.ts'
import { changePipeline, changeShape, pipeline, shape } from './deals-address.ts'
import { filterOpen } from './deals-filters.tsx'
import { SumBar } from './sum-bar.tsx'
import { useBoard } from './use-board.ts'

const PhoneMenu = later(() => import('./phone-menu.tsx').then((module) => module.PhoneMenu))

/** The head of the screen: which pipeline, in which shape, and the sums of what is shown. */
export function DealsBar({ isLoaded }: { isLoaded: boolean }) {
  const { board, actions } = useBoard()
  const add = () => {
    board.adding.value = board.stages.peek()[0]?.id ?? null
  }
  const { keys } = commandHints('app.new-deal')
  if (isPhone.value) {
    return (
      <Bar
        title={texts().title}
        actions={
          <>
            <IconButton
              plain
              icon="filter"
              title={texts().commands.filter}
              onClick={() => {
                filterOpen.value = 'new'
              }}
            />
            {actions.mayWrite() && <IconButton plain class="acc" icon="plus" title={texts().newDeal} onClick={add} />}
            <PhoneMenu />
          </>
        }
      >
        <PipelineMenu />
      </Bar>
    )
  }
  return (
    <Bar
      title={texts().title}
      actions={
        <>
          {isLoaded && <SumBar />}
          {actions.mayWrite() && (
            <>
              {isLoaded && <span class="sep" />}
              <Button first icon="plus" keys={keys} onClick={add}>
                {texts().newDeal}
              </Button>
            </>
          )}
        </>
      }
    >
      <PipelineMenu />
      <Segmented
        label={texts().shape}
        value={shape.value}
        choices={[
          { value: 'board', label: texts().board, icon: 'deal' },
          { value: 'table', label: texts().table, icon: 'table' },
        ]}
        onChange={(next) => void changeShape(next)}
      />
    </Bar>
  )
}

function PipelineMenu() {
  const { pipelines } = boot.value
  const now = pipeline.value
  if (!now) return null
  return (
    <MenuButton
      plain
      class="pipeline"
      menuLabel={texts().pipeline}
      groups={() => [
        {
          items: pipelines.map(({ id, name, is_default }) => ({
            label: name,
            checked: id === now.id,
            onPick: () => void changePipeline(is_default ? undefined : id),
          })),
        },
      ]}
    >
      <span class="cut" dir="auto">
        {now.name}
      </span>
      <Icon name="down" small />
    </MenuButton>
  )
}
