import { en as checks } from '../../../lib/pure/checks/en.ts'
import { pluralOf } from '../../lib/texts/plural.ts'

const { count } = pluralOf('en')

export const en = {
  notAllowed: 'Owners see how the server is',
  notAllowedBody: 'Its checks, its backups and who is told are for the owners of the organisation.',
  failed: 'How the server is could not be loaded',
  again: 'Try again',

  well: 'Everything is well',
  needs: (number: number) =>
    number === 1 ? '1 thing needs somebody' : `${count(number, { one: 'thing', other: 'things' })} need somebody`,

  checksTitle: 'Checks',
  checksBody: 'The server looks at itself each minute. What it finds is also in /readyz and in the metrics.',
  checks: checks as Readonly<Record<string, string>>,
  states: { pass: 'Well', warn: 'Look into it', fail: 'Does not work', unknown: 'Not looked at' },
  since: (when: string) => `since ${when}`,
  unknownBody: 'It is looked at once what does not work does.',
  passing: (number: number) => `${count(number, { one: 'check', other: 'checks' })} found nothing`,
  help: 'What the server says is in English, as in its log and in the commands that it names.',

  backupsTitle: 'Backups',
  at: (time: string, zone: string) => `Each night at ${time} (${zone}), with a restore drill each week.`,
  off: 'This server makes no backups: it was started with --backup-at off.',
  reader: 'This server reads a copy. Backups are made by its primary.',
  several: 'A backup is of all organisations of this server. Whoever runs it makes one with “dealbox backup”.',
  last: 'Last good backup',
  drill: 'Last restore drill',
  none: 'none yet',
  passed: 'passed',
  notPassed: 'failed',
  backupNow: 'Back up now',
  drillNow: 'Run the drill',
  drillHelp:
    'The drill restores the newest backup into a temporary folder and opens it. Where this server cannot decrypt it, a new one is made and tried.',
  atWork: { backup: 'Making a backup…', copy: 'Copying the backup…', drill: 'Trying a backup…' } as Readonly<
    Record<string, string>
  >,
  doneBackup: 'The backup is made and checked',
  doneDrill: 'The drill passed: the backup can be restored',
  notDone: (why: string) => `It failed. ${why}`,
  seeLog: 'The log of the server has the reason.',

  toldTitle: 'Who is told',
  toldBody:
    'When something needs somebody, at most once a day for as long as it lasts, and once when it is well again.',
  screen: 'Notice to owners',
  mail: 'Mail',
  url: 'Call of a URL',
  mailTo: {
    owners: 'to the owners, by a mailbox of the organisation',
    addresses: 'to the addresses of --notify-mail',
    off: 'off: the server was started with --notify-mail off',
    paused: 'not while this restored copy sends nothing',
  },
  urlIs: {
    on: (host: string) => `to ${host}`,
    off: 'none is set: see --notify-url',
    paused: 'not while this restored copy sends nothing',
  },
  urlHidden: 'one is set',
  never: 'nothing had to be told yet',
  nobody: 'nobody was told: there is no mailbox',
  toldAt: (when: string) => `last told ${when}`,
  notTold: (when: string) => `failed ${when}, and is tried again`,

  runsTitle: 'The last fifty runs',
  kinds: { backup: 'Backup', copy: 'Copy', drill: 'Restore drill' } as Readonly<Record<string, string>>,
  copyTo: (place: string) => `Copy to ${place}`,
  byServer: 'by the server',
  byCommand: 'by “dealbox backup”',
  byMember: (who: string) => `by ${who}`,
  times: (number: number, since: string) => `${number} times since ${since}`,
  good: 'Done',
  bad: 'Failed',
  noRuns: 'No run is known yet',
  fewRuns: (number: number) =>
    `${count(number, { one: 'run is', other: 'runs are' })} known. Runs from before this version, or before the data folder was restored, are not.`,
  what: 'What',
  when: 'When',
  how: 'How it went',
  took: 'Took',
  size: 'Size',

  workTitle: 'What the server repeats',
  workBody: 'How each went last. Their names are those of the log.',
  next: 'Next',
  noWork: 'Nothing has run yet',
  failures: (number: number) => (number < 2 ? 'Failed' : `Failed ${number} times in a row`),
}
