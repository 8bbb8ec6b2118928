import { useEffect } from 'preact/hooks'
import { IconButton } from '../../components/button.tsx'
import { Combobox } from '../../components/combobox.tsx'
import { Empty } from '../../components/empty.tsx'
import { load, record } from '../../data/records.ts'
import { sources } from '../../shell/sources.ts'
import { texts } from '../../tables/texts.ts'
import type { MergeObject } from './pairs.ts'

type MergeWithProps = { object: MergeObject; id: string; onPick: (other: string) => void; onClose: () => void }

/** For a record that somebody wants to merge: asks with which one, whether it looks like a duplicate or not. */
export function MergeWith({ object, id, onPick, onClose }: MergeWithProps) {
  const kind = object === 'contact' ? 'contacts' : 'companies'
  const words = texts().dup
  useEffect(() => void load(kind, id).catch(() => undefined), [kind, id])
  const found = record(kind, id).value
  if (found === null) return null
  const search = async (typed: string, signal: AbortSignal) =>
    (await sources.search(object)(typed, signal)).filter(({ value }) => value !== id)
  return (
    <section class="merge" aria-label={words.compare}>
      <header class="merge-head row strip">
        <h2 class="grow">{words.compare}</h2>
        <IconButton plain icon="x" title={words.cancel} onClick={onClose} />
      </header>
      {found && (
        <Empty icon="merge" title={words.withWhich(String(found.name))}>
          <Combobox
            key={id}
            label={words.other[object]}
            placeholder={words.other[object]}
            value={null}
            search={search}
            autofocus
            onPick={(choice) => choice && onPick(choice.value)}
          />
        </Empty>
      )}
    </section>
  )
}
