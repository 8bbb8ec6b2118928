import { useEffect, useId, useRef, useState } from 'preact/hooks'
import { Button } from '../../components/button.tsx'
import { Check } from '../../components/check.tsx'
import { FormField } from '../../components/fields/form-field.tsx'
import { draftsOf, useForm } from '../../components/fields/use-form.ts'
import { Icon } from '../../components/icon.tsx'
import { sayWhy } from '../../components/say-why.ts'
import { BegunBefore, useBegun } from '../../components/typed/begun.tsx'
import { ApiProblem } from '../../data/api.ts'
import { t } from '../../lib/texts/texts.ts'
import type { Entry } from '../../shell/pages/form.tsx'
import { fieldsOf, ruleOf, type Values, valuesOf } from './form-values.ts'
import { Hits } from './hits.tsx'
import { texts } from './texts.ts'
import { addRule, changeRule, type Hit, type Listed, type RuleForm, type RuleShown, tryRules } from './wire.ts'
import { sentenceOf } from './words.ts'

type RuleEditorProps = {
  /** As it was when it was opened; undefined for a new one. */
  begunWith: RuleShown | undefined
  /** As it is now; undefined for a new one, and for one that somebody has deleted since. */
  now: RuleShown | undefined
  known: Listed
  /** Reads the rules anew. */
  again: () => Promise<void>
  onClose: () => void
}

const CLOSE = { key: 'close', label: '', type: 'boolean' } as const
const EMPTY: RuleForm = { name: '', do: {} }

/** Each condition and act of a rule, and what it would have done as it stands here. */
export function RuleEditor({ begunWith: rule, now, known, again, onClose }: RuleEditorProps) {
  const fields = fieldsOf(known)
  const entries: Entry[] = [fields.name, ...fields.when, ...fields.does, CLOSE]
  const [start] = useState(() => ({
    ...draftsOf(entries, valuesOf(rule ?? EMPTY) as unknown as Record<string, unknown>),
    // What is typed follows the version that it began with; what comes since is a conflict.
    version: rule?.version ?? 0,
  }))
  const begun = useBegun<Record<string, unknown>>(`rule:${rule?.id ?? 'new'}`, start)
  const form = useForm(entries, start, begun)
  const [isWorking, setWorking] = useState(false)
  const [fault, setFault] = useState<string | undefined>(undefined)
  const [isBehind, setBehind] = useState(false)
  const [tried, setTried] = useState<{ hits: Hit[]; looked: number; as: string } | undefined>(undefined)
  const box = useRef<HTMLFormElement>(null)
  const id = useId()
  const words = texts()
  const typed = JSON.stringify(begun.values)
  useEffect(() => box.current?.querySelector<HTMLElement>('input')?.focus(), [])

  /** Undefined if something is wrong, which is said. */
  function read(): RuleForm | undefined {
    setFault(undefined)
    const values = form.check(box.current) as unknown as Values | undefined
    if (!values) return undefined
    const read = ruleOf(values, rule?.is_active ?? true)
    if (Object.keys(read.do).length > 0) return read
    setFault(words.needsAct)
    return undefined
  }

  function refused(error: unknown): void {
    const found = error instanceof ApiProblem ? errorsAt(error, entries) : {}
    if (Object.keys(found).length > 0) form.setErrors(found, box.current)
    else setFault(sayWhy(error))
  }

  async function attempt(run: () => Promise<unknown>): Promise<void> {
    if (isWorking) return
    setWorking(true)
    try {
      await run()
    } catch (error) {
      const isConflict = error instanceof ApiProblem && (error.status === 412 || (error.status === 404 && rule))
      if (isConflict) await again()
      if (isConflict) setBehind(true)
      else refused(error)
    } finally {
      setWorking(false)
    }
  }

  async function save(version: number): Promise<void> {
    const given = read()
    if (!given) return
    await attempt(async () => {
      const { is_active, ...fields } = given
      if (rule && (now || !isBehind)) await changeRule(rule.id, version, fields)
      else await addRule(given)
      begun.clear()
      onClose()
    })
  }

  async function tryIt(): Promise<void> {
    const given = read()
    if (!given) return
    await attempt(async () => {
      const { looked, data } = await tryRules(given, now?.id)
      setTried({ looked, hits: data[0]?.hits ?? [], as: typed })
    })
  }

  return (
    <form
      ref={box}
      class="form editor"
      noValidate
      aria-label={rule ? words.change(rule.name) : words.create}
      onSubmit={(event) => {
        event.preventDefault()
        void save(Number(begun.values.version))
      }}
      onKeyDown={(event) => {
        if (event.key !== 'Escape' || event.defaultPrevented) return
        event.stopPropagation()
        onClose()
      }}
    >
      <h2>{rule ? words.change(rule.name) : words.create}</h2>
      <BegunBefore form={begun.form} />
      <FormField {...form.of(fields.name)} />
      <fieldset>
        <legend class="strong">{words.whenHead}</legend>
        <p class="small mute">{words.whenHelp}</p>
        <div class="pairs">
          {fields.when.map((field) => (
            <FormField key={field.key} {...form.of(field)} />
          ))}
        </div>
      </fieldset>
      <fieldset>
        <legend class="strong">{words.doesHead}</legend>
        <div class="pairs">
          {fields.does.map((field) => (
            <FormField key={field.key} {...form.of(field)} class={field.key === 'answer' ? 'whole' : undefined} />
          ))}
        </div>
        <Check checked={form.of(CLOSE).draft === true} onChange={form.of(CLOSE).onDraft}>
          {words.fields.close}
        </Check>
      </fieldset>
      <div role="alert" id={`${id}-alert`}>
        {fault && (
          <p class="help late">
            <Icon name="alert" small />
            {fault}
          </p>
        )}
        {isBehind && (
          <div class="stack boxed behind">
            <p class="late">{now ? words.behind : words.behindGone}</p>
            {now && <p dir="auto">{sentenceOf(now)}</p>}
            <div class="row">
              <Button onClick={() => void save(now?.version ?? 0)}>{now ? words.saveMine : words.addAgain}</Button>
              <Button
                plain
                onClick={() => {
                  begun.clear()
                  onClose()
                }}
              >
                {words.takeTheirs}
              </Button>
            </div>
          </div>
        )}
      </div>
      <div class="row">
        <Button first type="submit" large working={isWorking ? t().saving : undefined}>
          {rule ? words.save : words.add}
        </Button>
        <Button large onClick={() => void tryIt()}>
          {words.tryIt}
        </Button>
        <Button plain large onClick={onClose}>
          {t().cancel}
        </Button>
      </div>
      <div role="status">{tried && tried.as === typed && <Hits hits={tried.hits} looked={tried.looked} isOpen />}</div>
    </form>
  )
}

/** What the server refuses: /when/from is at "from", /do/tags/0 at "tags", /name at "name". */
function errorsAt({ errors }: ApiProblem, entries: readonly Entry[]): Record<string, string> {
  return Object.fromEntries(
    errors.flatMap(({ pointer, message }) => {
      const key = pointer.split('/').find((part) => entries.some((entry) => entry.key === part))
      return key === undefined ? [] : [[key, message]]
    }),
  )
}
