import type { ComponentChildren } from 'preact'
import { Icon } from '../../components/icon.tsx'
import { MenuButton } from '../../components/menu.tsx'
import type { MenuGroup } from '../../components/menu-items.ts'
import { format } from '../../lib/locale.ts'
import { now } from '../../lib/now.ts'
import { texts } from '../texts.ts'

type RowProps = {
  at: string
  mark: ComponentChildren
  sentence: ComponentChildren
  groups: MenuGroup[]
  children?: ComponentChildren
}

/** The time of an entry, under the heading of its day. */
export function Row({ at, mark, sentence, groups, children }: RowProps) {
  const label = texts().timeline.more
  return (
    <li class="ev">
      <span class="mk">{mark}</span>
      <div class="grow">
        <div class="hd">
          <span class="grow">{sentence}</span>
          {groups.some(({ items }) => items.length > 0) && (
            <MenuButton
              plain
              class="icon does"
              title={label}
              aria-label={label}
              menuLabel={label}
              align="end"
              groups={() => groups}
            >
              <Icon name="dots" small />
            </MenuButton>
          )}
          <time dateTime={at} title={format.value.full(at)}>
            {format.value.daysAway(at, now.value) <= -60 ? format.value.day(at, now.value) : format.value.time(at)}
          </time>
        </div>
        {children}
      </div>
    </li>
  )
}
