import { statSync } from 'node:fs'
import { join } from 'node:path'
import { command, json } from '../../../command/command.ts'
import { askYes } from '../../../command/prompt.ts'
import { parsePublicUrl } from '../../../command/public-url.ts'
import { Problem } from '../../../lib/problem.ts'
import { isServed } from '../../../store/folder/lock.ts'
import { isCopy } from '../../../store/folder/marks.ts'
import { DATABASE } from '../../../store/open.ts'
import { oldOff } from './fence-options.ts'
import { askToPromote, type Promoted } from './standby.ts'
import { spoken } from './standby-age.ts'

export const promote = command({
  name: 'promote',
  summary:
    'Make the standby that serves a folder with --follow the primary: within ten seconds, and the time that the check of a large copy takes',
  options: {
    newUrl: {
      type: 'string',
      placeholder: 'URL',
      help: 'where clients reach the API of the new primary, for the old one to name; otherwise the --public-url of the standby',
    },
    abandon: {
      type: 'boolean',
      help: 'also if a later primary has written what this copy does not have, which is given up',
    },
    unchecked: {
      type: 'boolean',
      help: 'serve without checking the copy first, which takes minutes for a large one; run "dealbox doctor" afterwards',
    },
    yes: { type: 'boolean', help: 'also if the copy is older than ten seconds, without a question' },
    ...oldOff,
    json,
  },
  run: async ({ options }) => {
    const { data, abandon, unchecked, oldPrimaryIsOff, yes } = options
    const url = options.newUrl === undefined ? null : parsePublicUrl(options.newUrl)
    if (!isCopy(join(data, DATABASE))) throw noCopy(data)
    checkUser(data)
    if (!isServed(data)) throw noStandby(data)
    let asked = performance.now()
    const wanted = { url, abandons: abandon, isUnchecked: unchecked, isOldOff: oldPrimaryIsOff }
    const ask = (acceptsAge: boolean) => askToPromote(data, { ...wanted, acceptsAge }, () => isServed(data))
    const promoted = await ask(yes).catch(async (error) => {
      if (!(error instanceof Problem && error.code === 'copy_old' && process.stdin.isTTY)) throw error
      if (!(await askYes(`${error.message}\nPromote it?`))) throw error
      asked = performance.now()
      return ask(true)
    })
    const took_ms = Math.round(performance.now() - asked)
    const { epoch, api, screens, was_fenced, is_complete } = promoted
    return {
      json: { ...promoted, took_ms },
      text: [
        `This is the primary now, of epoch ${epoch}, after ${(took_ms / 1000).toFixed(1)} s.`,
        `api      ${api}`,
        `screens  ${screens ?? 'off'}`,
        '',
        is_complete ? COMPLETE : `${lackOf(promoted)} ${INCOMPLETE}`,
        ...(was_fenced ? [] : [UNFENCED]),
        ...(unchecked ? [UNCHECKED] : []),
        'Send clients here: change the address in DNS or in the proxy. docs/failover.md says what comes next.',
      ].join('\n'),
    }
  },
})

/** The standby could not read what another user leaves it. */
function checkUser(data: string): void {
  const { uid } = statSync(data)
  if (process.getuid === undefined || process.getuid() === uid) return
  throw new Problem(
    409,
    'wrong_user',
    `${data} belongs to another user, as whom its standby runs: sudo -u '#${uid}' dealbox promote --data ${data}`,
  )
}

const COMPLETE = 'The old primary has stopped, and everything that it acknowledged is here.'
const INCOMPLETE =
  'The old primary did not say that it stopped. What it acknowledged and did not replicate, it writes to a file when it comes back.'
const UNFENCED =
  'The old primary does not know that it has a standby, and goes on writing while it cannot reach the replica: make sure that it stays off.'

const lackOf = ({ copy_at, copy_age_s }: Promoted): string =>
  copy_at === null || copy_age_s === null
    ? 'How old the copy is, nobody can say.'
    : `The copy is of ${copy_at}, ${spoken(copy_age_s)} before this command: what the old primary acknowledged after that time may be missing here.`

const UNCHECKED =
  'Its database was not checked: run "dealbox doctor" now. If that finds damage, docs/failover.md says what to do.'

const noCopy = (data: string): Problem =>
  new Problem(
    409,
    'not_a_copy',
    `${data} is not a standby: it has no copy that "dealbox serve --follow" keeps up to date.`,
  )

const noStandby = (data: string): Problem =>
  new Problem(
    409,
    'not_running',
    `No standby runs on ${data}. Start it with "dealbox serve --follow", and promote it then.`,
  )
