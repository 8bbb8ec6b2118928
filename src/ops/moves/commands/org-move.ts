import { orgArgument, orgNamed } from '../../../app/settings/commands/org.ts'
import { keyring } from '../../../auth/keys.ts'
import { accountActor } from '../../../command/audit-writes.ts'
import { command, json } from '../../../command/command.ts'
import { askSecret } from '../../../command/prompt.ts'
import { caOption, readCertificates } from '../../../command/trust.ts'
import { conflict, type Problem, usage } from '../../../lib/problem.ts'
import { rfc3339 } from '../../../lib/time.ts'
import { isServed } from '../../../store/folder/lock.ts'
import { movedProblem } from '../../../store/orgs/org-states.ts'
import { arrivalStore, KEY, wrongKey } from '../arrivals.ts'
import { checkTarget } from '../client.ts'
import { moveOrg, type Stage } from '../departing.ts'

export const orgReceive = command({
  name: 'org receive',
  summary: 'Print a one-time key with which another server can move an organisation here; this one has to be running',
  options: { json },
  audit: 'org.receive_key_created',
  run: ({ options, write, open }) =>
    open((store) =>
      write(store, () => {
        const { id, key, expires_at } = arrivalStore(store).make()
        const until = rfc3339(expires_at)
        const off = isServed(options.data) ? '' : '\nNo server runs on this folder: start it first.'
        return {
          json: { id, key, expires_at: until },
          text: key,
          note: `Keep it secret: with it, whoever reaches the API of this server can bring one organisation. It expires ${until}.\nOn the other server: dealbox org move ORG --to URL-OF-THIS-API${off}`,
          audit: { org: null, record: id },
        }
      }),
    ),
})

const SAID: Record<Stage, string> = {
  copying: 'copying',
  comparing: 'comparing',
  leaving: 'waiting for what is being sent',
  finishing: 'finishing',
}

export const orgMove = command({
  name: 'org move',
  summary: 'Move an organisation to another server, while it is used; writes wait for a moment at the end',
  args: orgArgument,
  options: {
    to: { type: 'string', placeholder: 'URL', required: true, help: 'the API of the other server' },
    moveKey: {
      type: 'string',
      placeholder: 'KEY',
      secret: true,
      help: 'the key that "dealbox org receive" printed there; without it, the command asks for it',
    },
    address: {
      type: 'string',
      placeholder: 'URL',
      help: 'the new address that clients are told; by default https:// and the host name of the organisation, else --to',
    },
    ...caOption,
    json,
  },
  run: async ({ options, args, open }) => {
    const url = checkTarget(options.to)
    const given = options.address === undefined ? undefined : checkAddress('--address', options.address)
    const ca = options.ca === undefined ? undefined : readCertificates(options.ca)
    return open(async (store) => {
      const org = orgNamed(store, args.org)
      if (org.moved_to !== null) throw movedProblem(org.moved_to)
      const address = given ?? (org.host === null ? url : `https://${org.host}`)
      const key = (options.moveKey ?? (await askSecret('Key: ', process.stdin, say, NO_KEY))).trim()
      if (!KEY.test(key)) throw wrongKey()
      const stop = new AbortController()
      const onSignal = () => stop.abort(canceled())
      process.once('SIGINT', onSignal)
      process.once('SIGTERM', onSignal)
      const shown = !options.json && process.stderr.isTTY
      const onProgress = (stage: Stage, rows: number) => say(`\r${SAID[stage]}: ${rows} rows `)
      try {
        const done = await moveOrg({
          ...{ store, dataDir: options.data, keyring: keyring(options.data, store), org, url, address, key, ca },
          ...{ actor: accountActor(), signal: stop.signal, ...(shown ? { onProgress } : {}) },
        })
        if (shown) say('\n')
        return {
          json: { org_id: org.public_id, ...done },
          text: `${org.name} has moved to ${address}: ${done.rows} rows, and ${done.changes} changes meanwhile. Its writes waited ${done.paused_ms} ms.`,
          note: NEXT,
        }
      } finally {
        process.removeListener('SIGINT', onSignal)
        process.removeListener('SIGTERM', onSignal)
      }
    })
  },
})

const say = (text: string): void => void process.stderr.write(text)

const NO_KEY = 'No key was entered, and nothing was moved.'

const NEXT = `Next: let the proxy know, by "dealbox org list --map" of both servers. This server answers 421 with the new address.
Once the other server has a backup, "dealbox org erase" erases what is left here.`

const canceled = (): Problem => conflict('canceled', 'Cancelled; the organisation stays here.')

/** Throws a usage Problem. */
export function checkAddress(option: string, text: string): string {
  const url = URL.parse(text)
  if (url && ['http:', 'https:'].includes(url.protocol)) return url.href.replace(/\/$/, '')
  throw usage(`${option} ${text} is not an address. Use a form such as https://acme.crm.example.com.`)
}
