import { useEffect, useRef, useState } from 'preact/hooks'
import { Button } from '../../components/button.tsx'
import { showToast } from '../../components/toast.tsx'
import { sameConditions, toFilter } from '../../tables/filters/conditions.ts'
import { texts as viewTexts } from '../../tables/views/texts.ts'
import '../../tables/views/views.css'
import { sayWhy } from '../../components/say-why.ts'
import { mayWrite } from '../../data/may.ts'
import { patch, record, useTheirs } from '../../data/records.ts'
import type { List } from '../../data/types.ts'
import type { ListContext } from '../../tables/list-context.ts'
import { texts } from '../../tables/texts.ts'

/** The filter of a smart list was changed here, and is not saved yet: Reset and Save, as in a view. */
export function FilterChange({ list, found }: { list: ListContext; found: List }) {
  const words = texts().lists
  const [isSaving, setSaving] = useState(false)
  const { state, reset, change } = list.address.value
  const own = list.of?.filter.value ?? []
  const isChanged = !sameConditions(state.conditions, own)
  /** The list as it was when it was begun to change: what somebody saves meanwhile is a conflict. */
  const from = useRef(found)
  useEffect(() => {
    if (!isChanged) from.current = found
  }, [isChanged, found])
  if (!isChanged) return null
  const save = async () => {
    setSaving(true)
    try {
      await patch('lists', found.id, { filter: toFilter(state.conditions) }, from.current)
      await change({ conditions: own }, { replace: true })
      showToast({ text: words.filterSaved(found.name), icon: 'list' })
    } catch (error) {
      useTheirs('lists', found.id, 'filter')
      from.current = (record('lists', found.id).peek() as List | null | undefined) ?? found
      showToast({ kind: 'error', text: sayWhy(error) })
    } finally {
      setSaving(false)
    }
  }
  return (
    <span class="row view-change">
      <span class="small mute" role="status">
        {words.filterChanged}
      </span>
      <Button plain onClick={() => void reset()}>
        {viewTexts().reset}
      </Button>
      {mayWrite() && (
        <Button
          off={state.conditions.length === 0 ? words.needsFilter : undefined}
          working={isSaving ? '…' : undefined}
          onClick={() => void save()}
        >
          {words.saveFilter}
        </Button>
      )}
    </span>
  )
}
