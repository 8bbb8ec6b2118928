import { useState } from 'preact/hooks'
import { Button } from '../../components/button.tsx'
import { isMac } from '../../lib/keyboard.ts'
import { keysOf } from '../../shell/commands/dispatch.ts'
import { overlap, strokeOf } from '../../shell/commands/keys.ts'
import { KeyList } from '../../shell/commands/keys-page.tsx'
import { bindings } from '../../shell/commands/listen.ts'
import { paletteTexts } from '../../shell/commands/palette-texts.ts'
import { type Command, commands, GROUPS, placeOf } from '../../shell/commands/registry.ts'
import { texts } from './texts.ts'
import './key-editor.css'

/** Changes the keys of the commands that are registered here: press the new ones. */
export function KeyEditor({ onChange }: { onChange: (keys: Record<string, string>) => void }) {
  const [edited, setEdited] = useState<string | null>(null)
  const own = bindings.value.keys
  const rows = commands.value.filter(
    ({ keys, id, isAlias }) => !isAlias && (keys !== undefined || own[id] !== undefined),
  )
  const row = (command: Command) => (
    <li key={command.id} class="row strip">
      <span class="grow">{command.title()}</span>
      {edited === command.id ? (
        <Recorder
          command={command}
          onDone={(keys) => {
            setEdited(null)
            if (keys !== null) onChange({ ...own, [command.id]: keys })
          }}
        />
      ) : (
        <button type="button" class="now row pick" onClick={() => setEdited(command.id)}>
          <span class="sr">{texts().changeOne(command.title())}: </span>
          <Keys keys={keysOf(command, { ...bindings.value, singles: true })} />
        </button>
      )}
    </li>
  )
  return (
    <div class="key-editor">
      <div class="head row">
        <p class="small mute grow">{texts().changeHelp}</p>
        {Object.keys(own).length > 0 && (
          <Button plain onClick={() => onChange({})}>
            {texts().resetAll}
          </Button>
        )}
      </div>
      {GROUPS.map((group) => {
        const inGroup = rows.filter((command) => command.group === group)
        if (inGroup.length === 0) return null
        const name = paletteTexts().groups[group]
        return (
          <section key={group} aria-label={name}>
            <h3 class="sub mid">{name}</h3>
            <ul>{inGroup.map(row)}</ul>
          </section>
        )
      })}
    </div>
  )
}

function Keys({ keys }: { keys: string | undefined }) {
  return keys === undefined || keys === '' ? <span class="mute">{texts().none}</span> : <KeyList keys={keys} />
}

/** Takes up to two strokes; Enter uses them. */
function Recorder({ command, onDone }: { command: Command; onDone: (keys: string | null) => void }) {
  const [strokes, setStrokes] = useState<string[]>([])
  const keys = strokes.join(' ')
  const taken = keys === '' ? undefined : otherWith(keys, command)

  function onKeyDown(event: KeyboardEvent): void {
    if (event.key === 'Tab') return
    event.preventDefault()
    event.stopPropagation()
    if (event.key === 'Escape') onDone(null)
    else if (event.key === 'Backspace') onDone('')
    else if (event.key === 'Enter' && keys !== '') {
      if (!taken) onDone(keys)
    } else {
      const stroke = strokeOf(event, isMac)
      if (stroke !== null) setStrokes(strokes.length >= 2 ? [stroke] : [...strokes, stroke])
    }
  }

  return (
    <span class="row">
      <input
        type="text"
        readOnly
        autofocus
        ref={(element) => element?.focus()}
        aria-label={texts().changeOne(command.title())}
        placeholder={texts().press}
        value={keys}
        onKeyDown={onKeyDown}
        onBlur={() => keys === '' && onDone(null)}
      />
      {taken ? (
        <span class="small late" role="alert">
          {texts().taken(taken.title())}
        </span>
      ) : (
        keys !== '' && <Button onClick={() => onDone(keys)}>{texts().done}</Button>
      )}
    </span>
  )
}

function otherWith(keys: string, command: Command): Command | undefined {
  return commands.peek().find((other) => {
    const its = keysOf(other, { ...bindings.peek(), singles: true })
    return other.id !== command.id && placeOf(other) === placeOf(command) && its !== undefined && overlap(its, keys)
  })
}
