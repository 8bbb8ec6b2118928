import assert from 'node:assert/strict'
import { copyFileSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { cli, cliJson, dealbox, temporaryFolder } from '../../cli/command-line.ts'
import { activityFiles } from './activity-files.ts'
import { airtable, google, linkedin, outlook } from './address-books.ts'
import { attio } from './attio.ts'
import { close } from './close.ts'
import { folk } from './folk.ts'
import { hubspot } from './hubspot.ts'
import { OWNER, type ProductFile } from './mess.ts'
import { monday } from './monday.ts'
import { pipedrive } from './pipedrive.ts'
import { salesforce } from './salesforce.ts'

// The commands of the page of each product work on its files as they are printed.

const PAGES = join(import.meta.dirname, '../../../docs/imports')
const folder = temporaryFolder()

/** A command is right or wrong for all rows: products.test.ts has more of them. */
const FEW = 50

const FILES: Record<string, (count: number) => ProductFile[]> = {
  hubspot: () => hubspot(), // its deals name people of whom not all rows are
  pipedrive,
  salesforce,
  google,
  outlook,
  linkedin,
  airtable,
  close,
  attio,
  folk,
  monday,
}

/** The commands in the blocks of a page, as words. */
function commandsOf(page: string): string[][] {
  const blocks = [...readFileSync(join(PAGES, `${page}.md`), 'utf8').matchAll(/```sh\n(.*?)```/gs)].map(
    ([, text]) => text,
  )
  const lines = blocks.flatMap((text) => (text ?? '').trim().split('\n'))
  return lines.map((line) =>
    [...line.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, plain]) => quoted ?? (plain as string)),
  )
}

async function newData(name: string): Promise<string> {
  const data = join(folder, name)
  await cliJson('init', '--org', 'Acme', '--email', OWNER.email, '--name', OWNER.name, '--data', data)
  return data
}

test('every page is of a product, and every product has a page', () => {
  const pages = readdirSync(PAGES).map((name) => name.replace(/\.md$/, ''))
  assert.deepEqual(pages.sort(), [...Object.keys(FILES), 'vcard'].sort())
})

for (const [page, made] of Object.entries(FILES)) {
  test(`the commands of ${page} import all of its files`, async () => {
    const data = await newData(page)
    const records = made(FEW)
    const files = new Map([...records, ...activityFiles(page, records)].map((file) => [file.name, file]))
    for (const { name, text } of files.values()) writeFileSync(join(folder, name), text)
    const imported = new Set<string>()
    for (const [program, ...words] of commandsOf(page)) {
      assert.equal(program, 'dealbox')
      const name = words[2] as string
      const file = files.get(name) as ProductFile
      const argv = words.with(2, join(folder, name))
      const { code, out, err } = await cli([...argv, '--data', data, '--json'])
      assert.equal(code, 0, `${words.join(' ')}: ${err}`)
      if (argv.includes('--dry-run')) continue
      const { created, updated, unchanged } = JSON.parse(out)
      const usable = file.rows.filter(({ isUsable }) => isUsable).length
      assert.ok(created >= usable - 5 && created + updated + unchanged >= usable, `${name}: ${created} of ${usable}`)
      imported.add(name)
    }
    assert.deepEqual([...imported], [...files.keys()], 'in the order in which records refer to each other')
  })
}

describe('the commands of vcard', () => {
  test('import people and companies, and say what the file has besides', async () => {
    const data = await newData('vcard')
    const file = join(folder, 'contacts.vcf')
    copyFileSync(join(import.meta.dirname, '../vcard/icloud.vcf'), file)
    const said: string[] = []
    for (const [, ...words] of commandsOf('vcard')) {
      const { code, out, err } = await dealbox([...words.with(2, file), '--data', data])
      assert.equal(code, 0, err)
      said.push(out)
    }
    assert.match(
      said[0] ?? '',
      /^Rows: 1 created, .*^1 card is a person\. To import it, use "dealbox import contacts"\.$/ms,
    )
    assert.match(said[1] ?? '', /^Would be: 1 created/m)
    assert.match(said[2] ?? '', /^Rows: 1 created/m)
    assert.match(said[2] ?? '', /^Also made: .*1 custom field.*1 note/m)
    assert.match(said[2] ?? '', /^Columns not imported: .*Fax.*PHOTO/m)
    assert.match(said[2] ?? '', /^1 card is a company\. To import it, use "dealbox import companies"\.$/m)
  })
})
