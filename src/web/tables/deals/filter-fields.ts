import type { Choice } from '../../components/choices.tsx'
import { boot } from '../../data/boot.ts'
import { customFields, linked, memberChoices, tagChoices } from '../filters/common-fields.tsx'
import type { FilterField } from '../filters/filter-field.ts'
import { NEXT_STEPS } from './fields.ts'
import { texts } from './texts/texts.ts'

// The fields by which deals are filtered, on the board and in the table.

const nextStepChoices = (): Choice[] => {
  const words = texts().filters
  const labels = { late: words.nextLate, idle: words.nextIdle, next: words.nextNext, none: words.nextNone }
  return NEXT_STEPS.map((value) => ({ value, label: labels[value] }))
}

/** `pipeline` is that of the stages to choose from; null offers those of all pipelines. */
export function dealFields(pipeline: string | null): FilterField[] {
  const words = texts().filters
  const stages = () =>
    boot.value.stages
      .filter((stage) => pipeline === null || (stage.pipeline_id === pipeline && stage.is_open))
      .map(
        ({ id, name, pipeline_name }): Choice => ({
          value: id,
          label: name,
          ...(pipeline ? {} : { note: pipeline_name }),
        }),
      )
  return [
    { name: 'owner_id', label: words.owner, kind: 'id', icon: 'person', choices: memberChoices },
    { name: 'expected_close_date', label: words.expectedClose, kind: 'date', icon: 'cal' },
    { name: 'amount', label: words.amount, kind: 'amount', icon: 'chart' },
    { name: 'tag_ids', label: words.tags, kind: 'ids', icon: 'tag', choices: tagChoices },
    { name: 'company_id', label: words.company, icon: 'firm', kind: 'id', ...linked('company') },
    { name: 'stage', label: words.stage, kind: 'id', icon: 'deal', choices: stages },
    ...(pipeline === null ? [] : boardFields()),
    { name: 'title', label: words.title, kind: 'text', icon: 'pen' },
    { name: 'currency', label: words.currency, kind: 'text', icon: 'globe' },
    { name: 'primary_contact_id', label: words.contact, icon: 'person', kind: 'id', ...linked('contact') },
    { name: 'stage_changed_at', label: words.inStageSince, kind: 'time', icon: 'clock' },
    { name: 'created_at', label: words.created, kind: 'time', icon: 'clock' },
    { name: 'updated_at', label: words.updated, kind: 'time', icon: 'clock' },
    ...customFields('deal', texts().customFields),
  ]
}

/** What only the board knows. */
function boardFields(): FilterField[] {
  const words = texts().filters
  return [
    { name: 'next_step', label: words.nextStep, kind: 'choice', icon: 'task', choices: nextStepChoices },
    { name: 'days_in_stage', label: words.daysInStage, kind: 'number', icon: 'idle' },
  ]
}
