import { command, json, org } from '../../command/command.ts'
import { progress } from '../../command/progress.ts'
import type { CommandStore } from '../../store/open.ts'

// `import meetings FILE` imports the events of a calendar.

export const importMeetings = command({
  name: 'import meetings',
  summary: 'Import meetings from a file',
  args: { file: 'an iCalendar file (.ics), as exported by calendars' },
  options: {
    dryRun: { type: 'boolean', help: 'only show what would be imported' },
    again: { type: 'boolean', help: 'import a file again that was already imported' },
    rejected: {
      type: 'string',
      placeholder: 'PATH',
      help: 'file for rejected events; by default beside the imported file',
    },
    org,
    json,
  },
  audit: 'import',
  run: ({ options, args, writeInParts, openOrg }) => {
    const write = async (store: CommandStore, org: number) => {
      const { importMeetings: importFile } = await import('../ics/import.ts')
      const { auditOf, importAnswer } = await import('./import-answer.ts')
      const bar = progress(options.json, 'meetings')
      const stop = new AbortController()
      const onSignal = () => stop.abort()
      process.once('SIGINT', onSignal) // a second one ends the process at once; committed rows stay
      try {
        const imported = await importFile(store, {
          org,
          file: args.file,
          rejected: options.rejected,
          dryRun: options.dryRun,
          again: options.again,
          signal: stop.signal,
          onProgress: bar.show,
        })
        return { ...importAnswer(imported, 'Meetings', options.dryRun), audit: auditOf('meeting', imported) }
      } finally {
        bar.end()
        process.removeListener('SIGINT', onSignal)
      }
    }
    return openOrg((opened, org) => writeInParts(opened, (store) => write(store, org)))
  },
})
