import { useRef } from 'preact/hooks'
import { Button } from '../components/button.tsx'
import { isPhone } from '../lib/widths.ts'
import type { ListContext } from './list-context.ts'
import { ColumnsChooser } from './table/columns-chooser.tsx'
import { texts as tableTexts } from './table/texts.ts'
import { texts } from './texts.ts'

/** Which columns the table has. */
export function ColumnsButton({ list }: { list: ListContext }) {
  const { popup, columns, layout } = list
  const button = useRef<HTMLButtonElement>(null)
  return (
    <>
      {!isPhone.value && (
        <Button
          plain
          ref={button}
          icon="col"
          aria-haspopup="dialog"
          aria-expanded={popup.value?.name === 'columns'}
          onClick={() => {
            popup.value = popup.peek()?.name === 'columns' ? null : { name: 'columns' }
          }}
        >
          {tableTexts().columns}
        </Button>
      )}
      {popup.value?.name === 'columns' && button.current && (
        <ColumnsChooser
          anchor={button.current}
          columns={columns.value}
          layout={layout.value}
          onLayout={list.setLayout}
          customLabel={texts().customFields}
          onClose={() => {
            popup.value = null
          }}
        />
      )}
    </>
  )
}
