import { Icon } from '../../../components/icon.tsx'
import { Tags } from '../../../components/tag.tsx'
import { nameOf } from '../../../data/names.ts'
import type { Conversation } from '../../../data/types.ts'
import { sources } from '../../../shell/sources.ts'

/** The deal that a conversation is about, and its tags. */
export function Labels({ record: { deal_id, tag_ids } }: { record: Conversation }) {
  const tags = sources.tags().filter(({ id }) => tag_ids.includes(id))
  if (deal_id === null && tags.length === 0) return null
  return (
    <div class="row small labels">
      {deal_id !== null && (
        <a class="row" href={`/deals/${deal_id}`}>
          <Icon name="deal" small />
          <span class="cut" dir="auto">
            {nameOf('deals', deal_id) ?? '…'}
          </span>
        </a>
      )}
      <Tags tags={tags} />
    </div>
  )
}
