import { command, json, org } from '../../command/command.ts'
import type { Store } from '../../store/open.ts'
import { writeExport } from '../write.ts'
import { saidOf } from './import-dir.ts'

export const exportAll = command({
  name: 'export',
  summary: 'Export a complete organisation to a new folder, as NDJSON and CSV',
  args: { dir: 'the folder to create; must be empty if it exists' },
  options: { org, json },
  audit: 'export',
  run: ({ options, args: { dir }, writeInParts, openOrg }) => {
    const progress = !options.json && process.stderr.isTTY
    const write = (store: Store, org: number) => {
      const onProgress = (records: number) => void process.stderr.write(`\r${records} records `)
      const manifest = writeExport(store, org, dir, progress ? onProgress : undefined)
      if (progress) process.stderr.write('\r')
      const lines = manifest.files.filter(({ name }) => name.endsWith('.ndjson'))
      const records = Object.fromEntries(lines.map(({ name, records }) => [name.replace('.ndjson', ''), records]))
      return {
        json: { dir, org_id: manifest.org.id, last_seq: manifest.last_seq, records },
        text: `Exported ${manifest.org.name} to ${dir}: ${saidOf(records)}.`,
        note: `To restore it into a new organisation: dealbox import ${dir}`,
        audit: { detail: { last_seq: manifest.last_seq } },
      }
    }
    return openOrg((opened, org) => writeInParts(opened, (store) => write(store, org)))
  },
})
