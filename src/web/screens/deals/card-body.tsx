import { Avatar } from '../../components/avatar.tsx'
import { Icon } from '../../components/icon.tsx'
import { Money } from '../../components/money.tsx'
import { TagsInLine } from '../../components/tag.tsx'
import type { BoardRow } from '../../data/board-row.ts'
import { boot } from '../../data/boot.ts'
import { format } from '../../lib/locale.ts'
import { now } from '../../lib/now.ts'
import { type BoardStage, daysInStage } from '../../tables/deals/model.ts'
import { nextStep } from '../../tables/deals/next-step.ts'
import { texts } from '../../tables/deals/texts/texts.ts'
import { cardFields } from './card-fields.ts'
import { CardLine } from './card-line.tsx'

/** What stands on a card below its title; the preview in the hand has the same. */
export function CardBody({ row, stage }: { row: BoardRow; stage: BoardStage }) {
  const fields = cardFields.value
  const at = now.value
  return (
    <>
      {fields.company && (
        <p class="co" dir="auto">
          {row.company_name ?? <span class="mute">{texts().noCompany}</span>}
        </p>
      )}
      <div class="figures row">
        {row.amount === null ? (
          <span class="mute">{texts().noAmount}</span>
        ) : (
          <Money amount={row.amount} currency={row.currency} />
        )}
        <span class="row end">
          {fields.days && (
            <span class="days" title={texts().daysInStage}>
              {texts().days(daysInStage(row, at))}
            </span>
          )}
          <Owner id={row.owner_id} />
        </span>
      </div>
      {fields.close && row.expected_close_date && (
        <p class="next">
          <Icon name="cal" small />
          <span class="cut" dir="auto">
            {texts().fieldClose}
          </span>
          <span class="when">{format.value.day(row.expected_close_date, at)}</span>
        </p>
      )}
      {fields.tags && row.tag_ids.length > 0 && (
        <p class="next">
          <TagsInLine tags={boot.value.tags.filter((tag) => row.tag_ids.includes(tag.id))} />
        </p>
      )}
      {fields.next && <CardLine step={nextStep(row, stage.usual_days, at)} now={at} />}
    </>
  )
}

function Owner({ id }: { id: string | null }) {
  const member = id === null ? undefined : boot.value.members.find((each) => each.id === id)
  if (!member) return <Avatar kind="nobody" name={texts().noOwner} alone />
  return <Avatar kind="member" id={member.id} name={member.name} alone />
}
