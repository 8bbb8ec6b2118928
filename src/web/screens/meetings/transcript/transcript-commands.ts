import { mayWrite } from '../../../data/may.ts'
import type { Command } from '../../../shell/commands/registry.ts'
import { texts } from '../texts.ts'
import type { Acts } from './segment-row.tsx'

type Given = Acts & { find: () => void; step: (by: number) => void; hit: (by: number) => void; hasHits: () => boolean }

export const transcriptCommands = ({ note, task, link, find, step, hit, hasHits }: Given): Command[] => [
  { id: 'transcript.find', title: () => texts().find, group: 'list', keys: '/', icon: 'search', run: find },
  {
    id: 'transcript.next-hit',
    title: () => texts().nextHit,
    group: 'list',
    keys: 'n',
    icon: 'down',
    when: hasHits,
    run: () => hit(1),
  },
  {
    id: 'transcript.hit-before',
    title: () => texts().hitBefore,
    group: 'list',
    keys: 'shift+n',
    icon: 'up',
    when: hasHits,
    run: () => hit(-1),
  },
  {
    id: 'transcript.next',
    title: () => texts().nextLine,
    group: 'list',
    keys: 'j',
    isHidden: true,
    run: () => step(1),
  },
  {
    id: 'transcript.before',
    title: () => texts().lineBefore,
    group: 'list',
    keys: 'k',
    isHidden: true,
    run: () => step(-1),
  },
  {
    id: 'transcript.quote',
    title: () => texts().quote,
    group: 'record',
    keys: 'q',
    icon: 'note',
    when: () => mayWrite('notes'),
    run: note,
  },
  {
    id: 'transcript.task',
    title: () => texts().makeTask,
    group: 'record',
    keys: 't',
    icon: 'task',
    when: () => mayWrite('tasks'),
    run: task,
  },
  { id: 'transcript.link', title: () => texts().copyPlace, group: 'record', keys: 'l', icon: 'link', run: link },
]
