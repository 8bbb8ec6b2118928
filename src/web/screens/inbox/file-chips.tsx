import { useEffect } from 'preact/hooks'
import { pictureText } from '../../../lib/pure/markdown/pictures.ts'
import { Button, IconButton } from '../../components/button.tsx'
import { Icon } from '../../components/icon.tsx'
import { base } from '../../lib/base.ts'
import { sizeText } from '../../lib/sizes.ts'
import { words as common } from '../../lib/texts/words/texts.ts'
import type { BoxFile, BoxFiles } from './box-files.ts'
import { texts } from './texts.ts'

/** The files in the box: what leaves are these, by name and bytes. */
export function FileChips({ box }: { box: BoxFiles }) {
  const files = box.files.value
  if (files.length === 0) return null
  const words = texts().attached
  return (
    <ul class="files" aria-label={words.label}>
      {files.map((file) => (
        <li key={file.key} class={file.error === undefined ? 'file' : 'file is-bad'}>
          <Icon name={file.error === undefined ? 'clip' : 'alert'} small />
          <span class="grow cut">
            <Name box={box} file={file} />
            <small
              class={file.error === undefined ? 'mute' : 'late'}
              role={file.error === undefined ? undefined : 'alert'}
            >
              {file.error ?? (file.id ? sizeText(file.size) : words.sending(sizeText(file.size)))}
            </small>
            {file.id === undefined && file.error === undefined && (
              <progress value={file.share ?? 0} aria-label={words.progress(file.name)} />
            )}
          </span>
          {file.error !== undefined && (
            <Button plain onClick={() => box.retry(file)}>
              {common().again}
            </Button>
          )}
          <IconButton plain icon="x" title={words.remove(file.name)} onClick={() => void box.remove(file)} />
        </li>
      ))}
    </ul>
  )
}

function Name({ box, file: { id, name } }: { box: BoxFiles; file: BoxFile }) {
  return id === undefined ? (
    <span class="cut" dir="auto">
      {name}
    </span>
  ) : (
    <a class="cut" dir="auto" href={`${base}${box.path}/${id}`} download={name} data-native>
      {name}
    </a>
  )
}

const filesIn = (data: DataTransfer | null): File[] => [...(data?.files ?? [])]
const hasFiles = (event: DragEvent): boolean => [...(event.dataTransfer?.types ?? [])].includes('Files')

/** What is dropped anywhere on the page goes into the box: nobody loses the page by missing it. */
export function useDrop(box: BoxFiles, onDrag: (is: boolean) => void): void {
  useEffect(() => {
    const abort = new AbortController()
    const { signal } = abort
    const over = (event: DragEvent) => {
      if (!hasFiles(event)) return
      event.preventDefault()
      onDrag(true)
    }
    const drop = (event: DragEvent) => {
      if (!hasFiles(event)) return
      event.preventDefault()
      onDrag(false)
      box.add(filesIn(event.dataTransfer))
    }
    addEventListener('dragover', over, { signal })
    addEventListener('drop', drop, { signal })
    addEventListener('dragleave', (event) => event.relatedTarget === null && onDrag(false), { signal })
    return () => abort.abort()
  }, [box])
}

/**
 * Pictures and files of the clipboard; with `isText`, a picture stands in the text where it was pasted. A table that was copied is also
 * a picture: there the text is meant.
 */
export function pasteInto(box: BoxFiles, event: ClipboardEvent, isText: boolean): void {
  const files = filesIn(event.clipboardData)
  if (files.length === 0 || event.clipboardData?.types.includes('text/plain')) return
  event.preventDefault()
  const names = box.add(files)
  const isPicture = isText && files.length === names.length && files.every(({ type }) => type.startsWith('image/'))
  // As if it was typed, so that Ctrl+Z takes it back. There is no other way that does, and every browser keeps this one.
  if (isPicture) document.execCommand('insertText', false, names.map(pictureText).join('\n'))
}
