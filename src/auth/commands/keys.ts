import { command, json } from '../../command/command.ts'
import { aligned } from '../../command/text.ts'
import { rfc3339 } from '../../lib/time.ts'
import { keyring } from '../keys.ts'

export const keysList = command({
  name: 'keys list',
  summary: 'List the keys that sign tokens, without the key material',
  options: { json },
  run: ({ options, open }) =>
    open((store) => {
      const ring = keyring(options.data, store)
      const keys = ring.list().map(({ kid, created_at, retired_at }) => ({
        kid,
        created_at: rfc3339(created_at),
        retired_at: retired_at === null ? null : rfc3339(retired_at),
        file: retired_at === null ? (ring.faultOf(kid) ?? 'ok') : null,
      }))
      const former = ring.listFormer().map(({ kid, created_at }) => ({
        ...{ kid, created_at: rfc3339(created_at), retired_at: null, file: null, is_former: true },
      }))
      const rows = keys.map(({ kid, created_at, retired_at, file }) => [
        kid,
        created_at,
        retired_at ? `retired ${retired_at}` : file === 'ok' ? 'in use' : `file ${file}`,
      ])
      const more = former.map(({ kid, created_at }) => [
        kid,
        created_at,
        'of another server, for organisations from there',
      ])
      const text = aligned([['KEY', 'CREATED', 'STATE'], ...rows, ...more])
      return { json: [...keys, ...former], text, note: noteOf(keys) }
    }),
})

function noteOf(keys: { kid: string; file: string | null }[]): string {
  const broken = keys.filter(({ file }) => file === 'missing' || file === 'damaged').map(({ kid }) => `keys/${kid}.pem`)
  if (broken.length === 0) return ''
  return `Restore ${broken.join(', ')} from a backup of the data folder, or rotate, retire the broken key and create new tokens.`
}

export const keysRotate = command({
  name: 'keys rotate',
  summary: 'Add a key that signs new tokens; tokens signed by older keys stay valid',
  options: { json },
  audit: 'key.rotated',
  run: ({ options, write, open }) =>
    open((store) =>
      write(store, () => {
        const kid = keyring(options.data, store).rotate()
        return { json: { kid }, text: `New tokens are signed by the key ${kid}.`, audit: { record: kid } }
      }),
    ),
})

export const keysRetire = command({
  name: 'keys retire',
  summary: 'Retire a key: tokens signed by it stop working, and its file is deleted',
  args: { kid: 'id of the key, as shown by "dealbox keys list"' },
  options: { json },
  audit: 'key.retired',
  run: ({ options, args: { kid }, write, open }) =>
    open((store) => {
      const { retire, removeFile } = keyring(options.data, store)
      const answer = write(store, () => {
        retire(kid)
        return { json: { kid }, text: `Retired the key ${kid}.`, audit: { record: kid } }
      })
      removeFile(kid)
      return answer
    }),
})
