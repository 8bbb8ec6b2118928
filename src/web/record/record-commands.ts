import { nounOf } from '../../lib/pure/nouns.ts'
import { ICONS, type PageKind } from '../components/kinds.ts'
import { sayFailed } from '../components/say-failed.ts'
import { showToast } from '../components/toast.tsx'
import { client } from '../data/current.ts'
import { mayWrite } from '../data/may.ts'
import { record, remove } from '../data/records.ts'
import type { Deal, Rec } from '../data/types.ts'
import { asStep } from '../data/writes.ts'
import { whole } from '../lib/base.ts'
import { goBack, navigate } from '../lib/router.ts'
import { forget } from '../shell/commands/recent.ts'
import { type Command, provideTargets, register } from '../shell/commands/registry.ts'
import { placeInTrail } from '../shell/trail.ts'
import { askForDeal } from './ask-for-deal.ts'
import type { ComposerTab } from './composer.tsx'
import { copy, copyLastChange, copyRecord } from './curl.ts'
import { stepDeal } from './deal-changes.ts'
import { asking } from './stepper.tsx'
import { texts } from './texts.ts'
import { titleOf } from './title.tsx'

const COMMON = [
  ['record.note', 'record.task', 'record.call'],
  ['record.copy-link', 'record.curl', 'record.curl-change'],
] as const

/** The menu behind "⋯". */
export const RECORD_MENU: Readonly<Record<PageKind, readonly (readonly string[])[]>> = {
  deals: [['record.won', 'record.lost'], ...COMMON, ['record.delete']],
  contacts: [...COMMON, ['record.new-deal'], ['record.merge'], ['record.delete']],
  companies: [...COMMON, ['record.new-deal'], ['record.merge'], ['record.delete']],
}

/** Registers what can be done with the record on the page. */
export function registerRecord(kind: PageKind, id: string): () => void {
  const off = [provideTargets(() => ({ kind, ids: [id] })), register(commandsOf(kind, id))]
  return () => {
    for (const each of off) each()
  }
}

function commandsOf(kind: PageKind, id: string): Command[] {
  const words = () => texts().commands
  const now = () => record(kind, id).peek() as unknown as Rec | null | undefined
  const deal = () => now() as unknown as Deal
  const isThere = () => Boolean(now())
  const isFree = () => isThere() && mayWrite(kind)
  const isOpen = () => kind === 'deals' && isFree() && deal().status === 'open'
  const go = (to: 'previous' | 'next') => () => {
    const other = placeInTrail(kind, id)?.[to]
    if (other) return navigate(`/${kind}/${other}`, { replace: true })
  }
  const compose = (tab: ComposerTab) => () => document.dispatchEvent(new CustomEvent('compose', { detail: tab }))
  const each = (command: Omit<Command, 'group'> & { group?: Command['group'] }): Command => ({
    group: 'record',
    ...command,
  })
  return [
    each({
      id: 'record.previous',
      title: () => words().previous,
      keys: 'k',
      icon: 'up',
      isHidden: true,
      run: go('previous'),
    }),
    each({ id: 'record.next', title: () => words().next, keys: 'j', icon: 'down', isHidden: true, run: go('next') }),
    each({
      id: 'record.note',
      title: () => words().note,
      keys: 'n',
      icon: 'note',
      when: () => isThere() && mayWrite('notes'),
      run: compose('note'),
    }),
    each({
      id: 'record.task',
      title: () => words().task,
      keys: 't',
      icon: 'task',
      when: () => isThere() && mayWrite('tasks'),
      run: compose('task'),
    }),
    each({
      id: 'record.call',
      title: () => words().call,
      keys: 'p',
      icon: 'phone',
      when: () => isThere() && mayWrite('tasks'),
      run: compose('call'),
    }),
    each({
      id: 'record.new-deal',
      title: () => words().newDeal(titleOf(kind, now() as Rec)),
      keys: 'c d',
      icon: 'deal',
      when: () => kind !== 'deals' && isThere() && mayWrite('deals'),
      run: () => kind !== 'deals' && askForDeal({ kind, record: now() as Rec }),
    }),
    each({
      id: 'record.stage-next',
      title: () => words().stageNext,
      keys: 'shift+ArrowRight',
      icon: 'right',
      when: isOpen,
      run: () => stepDeal(deal(), 1),
    }),
    each({
      id: 'record.stage-previous',
      title: () => words().stagePrevious,
      keys: 'shift+ArrowLeft',
      icon: 'left',
      when: isOpen,
      run: () => stepDeal(deal(), -1),
    }),
    ...(['won', 'lost'] as const).map((outcome) =>
      each({
        id: `record.${outcome}`,
        title: () => words()[outcome],
        // Never a bare letter: words that are typed beside a field must not lose a deal.
        keys: outcome === 'won' ? 'w' : 'shift+l',
        icon: outcome,
        when: isOpen,
        run: () => {
          asking.value = { id, outcome }
        },
      }),
    ),
    each({
      id: 'record.copy-link',
      title: () => words().copyLink,
      icon: 'link',
      when: isThere,
      run: () => copy(whole(`/${kind}/${id}`), texts().copied),
    }),
    each({
      id: 'record.curl',
      title: () => words().curl,
      icon: 'copy',
      when: isThere,
      run: () => copyRecord(kind, id),
    }),
    each({
      id: 'record.curl-change',
      title: () => words().curlChange,
      icon: 'copy',
      when: isThere,
      run: () => copyLastChange(kind, id),
    }),
    each({
      id: 'record.merge',
      title: () => words().merge,
      icon: 'merge',
      when: () => kind !== 'deals' && isFree(),
      run: () => navigate(`/duplicates?object=${nounOf(kind)}&with=${id}`),
    }),
    each({
      id: 'record.delete',
      title: () => words().remove[kind],
      keys: 'Backspace',
      icon: 'trash',
      isDanger: true,
      when: isFree,
      run: () => removeRecord(kind, id, titleOf(kind, now() as Rec)),
    }),
    each({
      id: 'record.list',
      title: () => words().back,
      keys: 'u',
      icon: ICONS[kind],
      isHidden: true,
      run: () => goBack(placeInTrail(kind, id)?.href ?? `/${kind}`),
    }),
  ]
}

/** Deletes the record at once. The toast brings it back, and so does the banner in its place. */
async function removeRecord(kind: PageKind, id: string, title: string): Promise<void> {
  try {
    let done: Promise<unknown> = Promise.resolve()
    const step = asStep(() => {
      done =
        kind === 'deals'
          ? client().api.request('DELETE', `/app/deals/${id}`, { key: client().newKey() })
          : remove(kind, id)
    })
    await done
    forget({ kind, id })
    showToast({ text: texts().deleted(title), icon: 'trash', step })
  } catch (error) {
    sayFailed(texts().notDeleted(title), error)
  }
}
