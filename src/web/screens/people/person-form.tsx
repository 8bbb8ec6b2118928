import { FormField } from '../../components/fields/form-field.tsx'
import { Icon } from '../../components/icon.tsx'
import { CHOICES, type Choice, checked, isCompanyThere, type Person, PIECE_KINDS, withPiece } from './person.ts'
import { texts } from './texts.ts'

type PersonFormProps = { person: Person; onChange: (person: Person) => void; onOpen: (id: string) => void }

/** What was read of one person, each value to be corrected. */
export function PersonForm({ person, onChange, onOpen }: PersonFormProps) {
  const words = texts()
  const { found, choice, fields, drafts, errors, pieces } = person
  const { known } = found
  const company = String(drafts.company ?? '').trim()
  const labels: Record<Choice, string> = {
    create: known?.because === 'email' || found.twin !== null ? words.createAnyway : words.create,
    add: words.add(known?.name ?? ''),
    skip: words.skip,
  }
  return (
    <div class="person-form">
      {person.fault && (
        <p class="help late" role="alert">
          <Icon name="alert" small />
          {person.fault}
        </p>
      )}
      <div class="what-to-do row">
        <span class="row">
          <span class="mid" aria-hidden="true">
            {words.what}
          </span>
          <Select
            label={words.what}
            value={choice}
            choices={CHOICES.filter((each) => each !== 'add' || known).map((each) => [each, labels[each]])}
            onChange={(next) => onChange({ ...person, choice: next, fault: undefined })}
          />
        </span>
        {known && (
          <button type="button" class="link" onClick={() => onOpen(known.id)}>
            {words.open(known.name)}
          </button>
        )}
      </div>
      {choice === 'add' && <p class="help">{words.adds}</p>}
      {choice !== 'skip' && (
        <div class="person-fields">
          {fields.map((field) => (
            <FormField
              key={field.key}
              class={field.type === 'text' ? 'half' : undefined}
              field={hinted(field, company, person)}
              draft={drafts[field.key]}
              error={errors[field.key]}
              onDraft={(draft) => {
                const next = { ...person, drafts: { ...drafts, [field.key]: draft } }
                onChange(errors[field.key] === undefined ? next : checked(next))
              }}
              onLeave={() => onChange(checked(person))}
            />
          ))}
        </div>
      )}
      {choice !== 'skip' && pieces.length > 0 && (
        <fieldset class="unread">
          <legend class="label">{words.unread}</legend>
          {pieces.map(({ text, as }, at) => (
            <div key={at} class="row">
              <span class="grow" dir="auto">
                {text}
              </span>
              <Select
                label={words.as(text)}
                value={as}
                choices={PIECE_KINDS.map((kind) => [kind, words.kinds[kind]])}
                onChange={(kind) => onChange(withPiece(person, at, kind))}
              />
            </div>
          ))}
        </fieldset>
      )}
    </div>
  )
}

/** Says of the company whether it is there. */
function hinted(field: Person['fields'][number], company: string, person: Person) {
  if (field.key !== 'company' || company === '') return field
  const because = person.found.company?.because
  const isThere = isCompanyThere(person) && because
  return { ...field, help_text: isThere ? texts().companyThere[because] : texts().companyNew }
}

type SelectProps<Value extends string> = {
  label?: string
  value: Value
  choices: readonly (readonly [Value, string])[]
  onChange: (value: Value) => void
}

function Select<Value extends string>({ label, value, choices, onChange }: SelectProps<Value>) {
  return (
    <span class="input kind">
      <select
        class="bare"
        aria-label={label}
        value={value}
        onChange={(event) => onChange(event.currentTarget.value as Value)}
      >
        {choices.map(([each, text]) => (
          <option key={each} value={each}>
            {text}
          </option>
        ))}
      </select>
      <Icon name="down" small />
    </span>
  )
}
