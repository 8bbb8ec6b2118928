import type { Meeting } from '../../data/types.ts'
import type { Command } from '../../shell/commands/registry.ts'
import { removeMeeting } from './acts.tsx'
import type { View } from './address.ts'
import { mayWriteMeetings } from './state.ts'
import { texts } from './texts.ts'

type ListActs = {
  open: () => void
  search: () => void
  step: (by: number) => void
  show: (view: View) => void
  current: () => Meeting | undefined
}

export function listCommands({ open, search, step, show, current }: ListActs): Command[] {
  const view = (to: View, keys: string): Command => ({
    id: `meetings.${to}`,
    title: () => texts().showView(texts().views[to]),
    group: 'list',
    keys,
    run: () => show(to),
  })
  return [
    {
      id: 'meetings.new',
      title: () => texts().newMeeting,
      group: 'new',
      keys: 'n',
      icon: 'plus',
      when: mayWriteMeetings,
      run: open,
    },
    { id: 'meetings.search', title: () => texts().search, group: 'list', keys: '/', icon: 'search', run: search },
    { id: 'meetings.next', title: () => texts().next, group: 'list', keys: 'j', isHidden: true, run: () => step(1) },
    {
      id: 'meetings.before',
      title: () => texts().before,
      group: 'list',
      keys: 'k',
      isHidden: true,
      run: () => step(-1),
    },
    view('upcoming', 'u'),
    view('past', 'p'),
    view('week', 'w'),
    {
      id: 'meetings.delete',
      title: () => texts().remove,
      group: 'record',
      keys: 'Backspace',
      icon: 'trash',
      isDanger: true,
      when: ({ element }) => mayWriteMeetings() && current() !== undefined && element?.closest('.meeting-row') != null,
      run: () => {
        const meeting = current()
        if (meeting) return removeMeeting(meeting)
      },
    },
  ]
}
