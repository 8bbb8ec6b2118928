import { Button } from '../../components/button.tsx'
import type { Filter } from './conditions.ts'
import type { FilterField } from './filter-field.ts'
import { filterWords, texts } from './words.ts'

type KeptPartProps = { part: Filter; fields: readonly FilterField[]; onRemove: () => void }

/** What a program made and people cannot: it stays as it is, or goes. */
export function KeptPart({ part, fields, onRemove }: KeptPartProps) {
  return (
    <div class="condition">
      <p class="value mid" dir="auto">
        {filterWords(part, fields)}
      </p>
      <p class="help">{texts().kept}</p>
      <div class="value">
        <Button autofocus icon="x" onClick={onRemove}>
          {texts().removePart}
        </Button>
      </div>
    </div>
  )
}
