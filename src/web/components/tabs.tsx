import type { ComponentChildren } from 'preact'
import { rovingKeys } from '../lib/roving.ts'
import './tabs.css'

type TabsProps<Value extends string> = {
  label: string
  value: Value
  tabs: { value: Value; label: string; count?: string | number | undefined }[]
  onChange: (value: Value) => void
  /** The id of the element that shows the chosen tab, which has role=tabpanel. */
  panel: string
  children?: ComponentChildren
}

/** Views of one place beside each other; for tabs that are addresses, links in `.tabs` with aria-current do. */
export function Tabs<Value extends string>({ label, value, tabs, onChange, panel }: TabsProps<Value>) {
  return (
    <div class="tabs" role="tablist" aria-label={label} onKeyDown={rovingKeys('[role=tab]', { also: 'click' })}>
      {tabs.map((tab) => (
        <button
          key={tab.value}
          type="button"
          role="tab"
          id={`${panel}-${tab.value}`}
          aria-controls={panel}
          aria-selected={tab.value === value}
          tabIndex={tab.value === value ? 0 : -1}
          onClick={() => onChange(tab.value)}
        >
          {tab.label}
          {tab.count !== undefined && <span class="n">{tab.count}</span>}
        </button>
      ))}
    </div>
  )
}
