import { Menu } from '../../components/menu.tsx'
import type { MenuGroup } from '../../components/menu-items.ts'
import { boot } from '../../data/boot.ts'
import { record } from '../../data/records.ts'
import type { Deal } from '../../data/types.ts'
import type { Anchor } from '../../lib/place.ts'
import { changeMany, type Target } from '../bulk.ts'
import type { DealPopup } from '../list-context.ts'
import { closeDeals, dateDeals, moveDeals, priceDeals, type Some } from './changes.ts'
import { AmountPopover, DatePopover, priceOf, ReasonsMenu } from './popovers.tsx'
import { openedTexts } from './texts/opened.ts'
import { texts } from './texts/texts.ts'

type DealPopupsProps = {
  name: DealPopup
  target: Target
  anchor: Anchor
  onClose: () => void
  /** Asks for the reason next. */
  onClosing: (outcome: 'won' | 'lost') => void
}

/** What only deals have, for the row or the selection: stage, amount, date, and the reason why they were won or lost. */
export function DealPopups({ name, target, anchor, onClose, onClosing }: DealPopupsProps) {
  const deals = known(target)
  const common = { anchor, onClose }
  if (name === 'won' || name === 'lost') {
    const done = (count: number) => texts().closedMany(count, name)
    const close = (reason: string) =>
      deals
        ? closeDeals(deals.map(rowOf), name, reason)
        : void changeMany('deals', target, { close: { reason_id: reason } }, done)
    return <ReasonsMenu {...common} outcome={name} onPick={close} />
  }
  const set = (fields: Record<string, unknown>, done = texts().changed) =>
    void changeMany('deals', target, { patch: fields }, done)
  if (name === 'amount') {
    return (
      <AmountPopover
        {...common}
        {...priceOf(deals ?? [])}
        onSave={(price) =>
          deals
            ? priceDeals(deals.map(rowOf), price)
            : set(price.currency === null ? { amount: price.amount } : { ...price })
        }
      />
    )
  }
  if (name === 'date') {
    return (
      <DatePopover
        {...common}
        date={deals?.length === 1 ? (deals[0]?.expected_close_date ?? null) : null}
        onSave={(date) => (deals ? dateDeals(deals.map(rowOf), date) : set({ expected_close_date: date }))}
      />
    )
  }
  const move = (stage: { id: string; name: string }) =>
    deals
      ? moveDeals(deals.map(rowOf), stage)
      : set({ stage: stage.id }, (count) => texts().movedMany(count, stage.name))
  return <Menu {...common} label={openedTexts().moveTo} groups={stageGroups(deals, move, onClosing)} />
}

/** The deals, if all of them are loaded: then each is changed at once. */
function known(target: Target): Deal[] | undefined {
  if (!('ids' in target)) return undefined
  const found = target.ids.map((id) => record('deals', id).peek() as Deal | null | undefined)
  return found.every((deal) => deal != null) ? (found as Deal[]) : undefined
}

const rowOf = ({ id, title, amount, currency, stage, tag_ids }: Deal): Some => ({
  ...{ id, title, currency, tag_ids },
  amount: amount as number | null,
  stage_id: stage,
})

/** The open stages of the pipelines that the deals are in, or of all, and the ends. */
function stageGroups(
  deals: readonly Deal[] | undefined,
  move: (stage: { id: string; name: string }) => void,
  close: (outcome: 'won' | 'lost') => void,
): MenuGroup[] {
  const { stages, pipelines } = boot.value
  const pipelineOf = (stage: string) => stages.find(({ id }) => id === stage)?.pipeline_id
  const own = new Set(deals?.map(({ stage }) => pipelineOf(stage)))
  const shown = pipelines.filter(({ id }) => !deals || own.has(id))
  const [only] = deals?.length === 1 ? deals : []
  return [
    ...shown.map((pipeline) => ({
      label: shown.length > 1 ? pipeline.name : undefined,
      items: stages
        .filter((stage) => stage.pipeline_id === pipeline.id && stage.is_open)
        .sort((one, other) => one.position - other.position)
        .map(({ id, name }) => ({ label: name, checked: id === only?.stage, onPick: () => move({ id, name }) })),
    })),
    {
      items: (['won', 'lost'] as const).map((outcome) => ({
        label: outcome === 'won' ? openedTexts().closeAsWon : openedTexts().closeAsLost,
        icon: outcome,
        onPick: () => close(outcome),
      })),
    },
  ]
}
