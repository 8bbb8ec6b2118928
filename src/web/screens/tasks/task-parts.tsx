import { Button } from '../../components/button.tsx'
import { Empty } from '../../components/empty.tsx'
import { MenuButton } from '../../components/menu.tsx'
import { boot, memberName } from '../../data/boot.ts'
import { setQuery } from '../../lib/router.ts'
import type { TaskRows, Who } from './task-rows.ts'
import { texts } from './texts.ts'

/** Whose tasks of the team are shown: everyone's, or those of one person. */
export function Person({ who }: { who: Who }) {
  const members = boot.value.members.filter(({ status }) => status === 'active')
  return (
    <MenuButton
      plain
      menuLabel={texts().person}
      groups={() => [
        {
          items: [
            {
              label: texts().everyone,
              checked: who === 'team',
              onPick: () => void setQuery({ who: 'team', task: null }),
            },
            ...members.map(({ id, name }) => ({
              label: name,
              checked: who === id,
              onPick: () => void setQuery({ who: id, task: null }),
            })),
          ],
        },
      ]}
    >
      {who === 'team' ? texts().everyone : (memberName(who) ?? texts().everyone)}
    </MenuButton>
  )
}

/** What stands there instead of tasks: why there are none. */
export function Nothing({ data, who }: { data: TaskRows; who: Who }) {
  const { open } = data
  if (open.error.value !== undefined && data.rows.value.length === 0) {
    return (
      <Empty
        icon="alert"
        title={texts().failed}
        actions={
          <Button first onClick={() => void open.more()}>
            {texts().tryAgain}
          </Button>
        }
      >
        {texts().failedBody}
      </Empty>
    )
  }
  if (data.rows.value.length > 0 || !open.done.value) return null
  const kind = who === 'nobody' ? 'nobody' : who === 'mine' ? 'mine' : 'team'
  return (
    <Empty
      icon="task"
      title={texts().empty[kind]}
      actions={
        kind === 'mine' &&
        boot.value.members.length > 1 && (
          <Button onClick={() => void setQuery({ who: 'team' })}>{texts().toTeam}</Button>
        )
      }
    >
      {kind === 'nobody' ? texts().emptyNobody : texts().emptyBody}
    </Empty>
  )
}
