import { useState } from 'preact/hooks'
import { Button } from '../components/button.tsx'
import type { PageKind } from '../components/kinds.ts'
import { Pips } from '../components/pips.tsx'
import { customPropertiesOf, propertiesOf } from '../components/properties/properties.ts'
import { texts as propertyTexts } from '../components/properties/texts.ts'
import { boot, memberName } from '../data/boot.ts'
import type { Deal, Rec } from '../data/types.ts'
import { format } from '../lib/locale.ts'
import { hasValue } from './field-state.ts'
import { PropertyRow } from './property-row.tsx'
import { texts } from './texts.ts'
import { timelineOf } from './timeline/timeline-data.ts'

/** Those that few records have stay away until they have a value, or until somebody asks for all. */
const RARE = new Set([
  'external_id',
  'originally_created_at',
  'source',
  'language',
  'timezone',
  'linkedin_url',
  'parent_company_id',
])

/** All fields of a record, its own ones and those of the organisation, and since when it is there. */
export function Properties({ kind, record }: { kind: PageKind; record: Rec }) {
  const [isWhole, setWhole] = useState(false)
  const own = propertiesOf(kind)
  const shown = own.filter((property) => isWhole || !RARE.has(property.field.key) || hasValue(record, property))
  const custom = customPropertiesOf(kind)
  const [first, ...others] = shown
  return (
    <div class="properties">
      <div class="panel-h row">
        <h2>{texts().properties}</h2>
      </div>
      <dl class="props">
        {first && <PropertyRow key={first.field.key} kind={kind} record={record} property={first} />}
        {kind === 'deals' && <StageRow deal={record as unknown as Deal} />}
        {others.map((property) => (
          <PropertyRow key={property.field.key} kind={kind} record={record} property={property} />
        ))}
      </dl>
      {!isWhole && shown.length < own.length && (
        <Button plain class="whole" aria-expanded={false} onClick={() => setWhole(true)}>
          {texts().moreFields(own.length - shown.length)}
        </Button>
      )}
      {custom.length > 0 && (
        <>
          <hr />
          <div class="panel-h row">
            <h2>{texts().customFields}</h2>
          </div>
          <dl class="props">
            {custom.map((property) => (
              <PropertyRow key={property.field.key} kind={kind} record={record} property={property} />
            ))}
          </dl>
        </>
      )}
      <hr />
      <Since kind={kind} record={record} />
    </div>
  )
}

function StageRow({ deal }: { deal: Deal }) {
  const { stages } = boot.value
  const stage = stages.find(({ id }) => id === deal.stage)
  const open = stages.filter((each) => each.is_open && each.pipeline_id === stage?.pipeline_id)
  const at = open.findIndex(({ id }) => id === deal.stage) + 1
  return (
    <div>
      <dt>{propertyTexts().stage}</dt>
      <dd class="fixed row">
        <Pips of={open.length} at={at} outcome={deal.status === 'open' ? null : deal.status} />
        <span class="cut" dir="auto">
          {stage?.name ?? '…'}
        </span>
      </dd>
    </div>
  )
}

function Since({ kind, record }: { kind: PageKind; record: Rec }) {
  const created = timelineOf(kind, record.id).entries.value.find((entry) => entry.kind === 'created')
  const author = created?.actor_id ? memberName(created.actor_id)?.split(' ')[0] : undefined
  const deal = kind === 'deals' ? (record as unknown as Deal) : undefined
  return (
    <dl class="props since small">
      <div>
        <dt>{texts().created}</dt>
        <dd>{texts().createdAt(format.value.date(String(record.created_at)), author)}</dd>
      </div>
      {deal && (
        <div>
          <dt>{deal.status === 'open' ? texts().inStage : texts().closed}</dt>
          <dd>
            {deal.status === 'open'
              ? texts().since(format.value.date(deal.stage_changed_at))
              : format.value.date(deal.closed_at ?? deal.stage_changed_at)}
          </dd>
        </div>
      )}
      {kind === 'contacts' && record.unsubscribed_at !== null && (
        <div>
          <dt>{texts().unsubscribed}</dt>
          <dd>{format.value.date(String(record.unsubscribed_at))}</dd>
        </div>
      )}
    </dl>
  )
}
