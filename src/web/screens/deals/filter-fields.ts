import { createElement } from 'preact'
import { Avatar } from '../../components/avatar.tsx'
import type { Choice } from '../../components/choices.tsx'
import type { FieldKind } from '../../components/filters/conditions.ts'
import type { FilterField } from '../../components/filters/filter-field.ts'
import type { IconName } from '../../components/icon.tsx'
import { boot } from '../../data/boot.ts'
import { sources } from '../../data/sources.ts'
import { tagChoices } from './choices.ts'
import { NEXT_STEPS } from './fields.ts'
import { texts } from './texts/texts.ts'

// The fields by which deals are filtered, on the board and in the table.

const memberChoices = (): Choice[] =>
  boot.value.members.map(({ id, name, email }) => ({
    value: id,
    label: name,
    words: email,
    mark: createElement(Avatar, { key: id, kind: 'member', id, name, size: 16 }),
  }))

const linked = (kind: 'company' | 'contact', icon: IconName) => ({
  kind: 'id' as const,
  icon,
  search: sources.search(kind),
  choiceOf: (id: string): Choice | undefined => {
    const label = sources.nameOf(kind, id)
    return label === undefined ? undefined : { value: id, label }
  },
})

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
    { name: 'amount', label: words.amount, kind: 'amount', icon: 'deal' },
    { name: 'tag_ids', label: words.tags, kind: 'ids', icon: 'tag', choices: tagChoices },
    { name: 'company_id', label: words.company, ...linked('company', 'firm') },
    { name: 'stage', label: words.stage, kind: 'id', icon: 'deal', choices: stages },
    ...(pipeline === null ? [] : boardFields()),
    { name: 'title', label: words.title, kind: 'text', icon: 'pen' },
    { name: 'currency', label: words.currency, kind: 'text', icon: 'globe' },
    { name: 'primary_contact_id', label: words.contact, ...linked('contact', 'person') },
    { name: 'stage_changed_at', label: words.inStageSince, kind: 'time', icon: 'clock' },
    { name: 'created_at', label: words.created, kind: 'time', icon: 'clock' },
    { name: 'updated_at', label: words.updated, kind: 'time', icon: 'clock' },
    ...customFields(),
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

/** How the values of custom fields compare, by type: as on the server. */
const KINDS: Record<string, FieldKind> = {
  text: 'text',
  url: 'text',
  email: 'text',
  phone: 'text',
  number: 'number',
  boolean: 'flag',
  date: 'date',
  datetime: 'time',
  select: 'choice',
  multi_select: 'choices',
  member: 'id',
}

const customFields = (): FilterField[] =>
  boot.value.custom_fields
    .filter(({ object }) => object === 'deal')
    .flatMap(({ key, label, type, options }): FilterField[] => {
      const kind = KINDS[type]
      if (!kind) return []
      const choices =
        type === 'member'
          ? memberChoices
          : options
            ? () => options.map(({ value, label }) => ({ value, label }))
            : undefined
      return [{ name: `custom_fields.${key}`, label, kind, icon: 'list', group: texts().customFields, choices }]
    })
