import type { ComponentChildren } from 'preact'
import { useRef, useState } from 'preact/hooks'
import { IconButton } from '../../components/button.tsx'
import { Icon } from '../../components/icon.tsx'
import { me } from '../../data/boot.ts'
import { format } from '../../lib/locale.ts'
import { path } from '../../lib/router.ts'
import '../../components/tabs.css'
import { useCounted } from '../../shell/use-counted.ts'
import { viewCounts } from '../../shell/view-counts.ts'
import { SaveView } from './save-view.tsx'
import { type View, viewsOf } from './saved-views.ts'
import { texts } from './texts.ts'
import type { ListAddress } from './use-list-state.ts'
import { ViewChange } from './view-change.tsx'
import './views.css'

type ViewTabsProps = {
  object: View['object']
  /** What stands for no view: "All contacts". */
  all: string
  address: ListAddress
  shape: View['shape']
  children?: ComponentChildren
}

/** The saved views as tabs that are addresses. A changed one says so, and can be reset or saved. */
export function ViewTabs({ object, all, address, shape, children }: ViewTabsProps) {
  const views = viewsOf(object).value
  const [isSaving, setSaving] = useState(false)
  const plus = useRef<HTMLButtonElement>(null)
  const { view } = address
  useCounted(views)
  return (
    <div class="views row strip">
      <nav class="tabs" aria-label={texts().views}>
        <Tab href={path.value} label={all} isHere={!view} />
        {views.map((each) => (
          <Tab
            key={each.id}
            href={`${path.value}?view=${each.id}`}
            label={each.name}
            isHere={each.id === view?.id}
            isShared={each.is_shared && each.owner_id !== me.value.id}
            count={viewCounts.value.get(each.id)}
          />
        ))}
      </nav>
      <IconButton
        plain
        ref={plus}
        icon="plus"
        title={texts().saveAs}
        aria-haspopup="dialog"
        aria-expanded={isSaving}
        onClick={() => setSaving(true)}
      />
      <span class="grow" />
      <ViewChange object={object} address={address} shape={shape} />
      {children}
      {isSaving && plus.current && (
        <SaveView
          anchor={plus.current}
          object={object}
          shape={shape}
          state={address.state}
          onClose={() => setSaving(false)}
          onSaved={({ id }) => void address.choose(id)}
        />
      )}
    </div>
  )
}

type TabProps = { href: string; label: string; isHere: boolean; isShared?: boolean; count?: number | undefined }

function Tab({ href, label, isHere, isShared, count }: TabProps) {
  return (
    <a href={href} aria-current={isHere ? 'page' : undefined}>
      {label}
      {isShared && <Icon name="person" small title={texts().isShared} />}
      {count !== undefined && <span class="n">{format.value.number(count)}</span>}
    </a>
  )
}
