import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { textOf } from '../../../src/imports/csv/file/decode.ts'
import { openSource } from '../../../src/imports/csv/file/read.ts'
import { Problem } from '../../../src/lib/problem.ts'
import { rowsOf } from './people.ts'

const folder = mkdtempSync(join(tmpdir(), 'dealbox-encodings-'))
after(() => rmSync(folder, { recursive: true, force: true }))
const file = join(folder, 'people.csv')

async function readAs(bytes: Buffer, encoding?: string): Promise<string> {
  writeFileSync(file, bytes)
  try {
    const source = await openSource(file, 'contact', { encoding })
    return `${(await Array.fromAsync(textOf(file, source.encoding))).join('')} ¦ ${source.encoding}`
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    if (error.code !== 'unclear_encoding') return `REFUSE ${error.code}`
    const named = [...error.message.matchAll(/([\w-]+) \("/g)].map(([, name]) => name)
    return `AMBIGUOUS ${named.sort().join(' ¦ ')}`
  }
}

const bytesOf = (hex: string): Buffer => Buffer.from(hex.replaceAll(' ', ''), 'hex')

test('the encoding of a file is found by its letters', async () => {
  const rows = rowsOf('encoding', 'text.tsv')
  assert.ok(rows.length > 30)
  for (const { written, meant, why } of rows)
    assert.equal(await readAs(bytesOf(written)), meant.replace(/\r\n?/g, '\n'), why)
})

test('each of them is read as it is when its name is given', async () => {
  for (const { written, meant } of rowsOf('encoding', 'text.tsv')) {
    const [text, encoding] = meant.split(' ¦ ')
    if (encoding === undefined || meant.startsWith('AMBIGUOUS')) continue
    assert.equal(await readAs(bytesOf(written), encoding), `${text?.replace(/\r\n?/g, '\n')} ¦ ${encoding}`)
  }
})
