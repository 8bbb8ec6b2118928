import type { Command } from '../../shell/commands/registry.ts'
import { texts } from './texts.ts'

/** What the list does now. */
export type Acts = {
  step: (by: number) => void
  toggle: () => unknown
  restore: () => void
  clear: () => void
  hasSelection: () => boolean
}

const search = () => document.querySelector<HTMLElement>('.bin-search input')?.focus()

export function commandsOf(acts: { current: Acts }): Command[] {
  const go = (id: string, title: () => string, keys: string, by: number): Command => ({
    id,
    title,
    group: 'list',
    keys,
    isHidden: true,
    run: () => acts.current.step(by),
  })
  return [
    {
      id: 'bin.restore',
      title: () => texts().restore,
      group: 'record',
      keys: 'r',
      icon: 'undo',
      run: () => acts.current.restore(),
    },
    {
      id: 'bin.select',
      title: () => texts().toggle,
      group: 'list',
      keys: 'x',
      icon: 'check',
      run: () => acts.current.toggle(),
    },
    go('bin.next', () => texts().next, 'j', 1),
    go('bin.previous', () => texts().previous, 'k', -1),
    { id: 'bin.search', title: () => texts().search, group: 'view', keys: '/', icon: 'search', run: search },
    {
      id: 'bin.clear',
      title: () => texts().clear,
      group: 'list',
      keys: 'Escape',
      isHidden: true,
      when: () => acts.current.hasSelection(),
      run: () => acts.current.clear(),
    },
  ]
}
