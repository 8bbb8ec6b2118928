import { command, json } from '../../../command/command.ts'
import { aligned } from '../../../command/text.ts'
import { conflict, Problem, usage } from '../../../lib/problem.ts'
import type { Store } from '../../../store/open.ts'
import { allOrgsEver, type Org, setHost } from '../../../store/orgs/orgs.ts'

const HOST = /^(?=.{1,253}$)(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z0-9-]{2,63}$/

/** The address of a server in a map: nothing that would be syntax there. */
const SERVER = /^(?:[a-z0-9.-]+|\[[0-9a-f:.]+\])$/i

export const orgArgument = { org: 'id or host name of the organisation, as shown by "dealbox org list"' } as const

/** The organisation with an id or a host name, also one that has moved. Throws Problem 404. */
export function orgNamed({ db }: Pick<Store, 'db'>, given: string): Org {
  const wanted = given.toLowerCase()
  const found = allOrgsEver(db).find(({ public_id, host }) => public_id === wanted || host === wanted)
  if (!found)
    throw new Problem(404, 'no_such_org', `There is no organisation ${given} here. "dealbox org list" shows all.`)
  return found
}

export const orgList = command({
  name: 'org list',
  summary: 'List the organisations of the data folder, with their host names and where they have moved',
  options: {
    map: {
      type: 'string',
      placeholder: 'nginx|caddy',
      help: 'print a map of host names to servers for this proxy: see docs/moving.md',
    },
    server: {
      type: 'string',
      placeholder: 'NAME',
      default: '127.0.0.1',
      help: 'how the proxy reaches this server, in the map',
    },
    json,
  },
  run: ({ options, open }) =>
    open(({ db }) => {
      if (!SERVER.test(options.server)) throw usage(`--server ${options.server} is not a host name or an address.`)
      if (options.map !== undefined && !Object.hasOwn(LINES, options.map))
        throw usage(`--map ${options.map} is none of nginx and caddy.`)
      const orgs = allOrgsEver(db)
      const list = orgs.map(({ public_id, name, host, state, moved_to }) => ({
        ...{ id: public_id, name, host, state: state === 'moved' ? 'moved' : 'here', moved_to },
      }))
      const line = LINES[options.map ?? '']
      if (line) return { json: list, text: mapOf(orgs, (host) => line(host, options.server)) }
      const rows = list.map(({ id, name, host, moved_to }) => [id, name, host ?? '-', moved_to ?? 'here'])
      return { json: list, text: aligned([['ID', 'NAME', 'HOST', 'WHERE'], ...rows]) }
    }),
})

const LINES: Record<string, (host: string, server: string) => string> = {
  nginx: (host, server) => `${host} ${server};`,
  caddy: (host, server) => `${host} ${server}`,
}

/** One line for each organisation that is here. Those that have moved are in the map of the other server. */
const mapOf = (orgs: readonly Org[], line: (host: string) => string): string =>
  orgs
    .filter(({ host, state }) => host !== null && state !== 'moved')
    .map(({ host }) => line(host as string))
    .sort()
    .join('\n')

export const orgHost = command({
  name: 'org host',
  summary: 'Give an organisation a host name, by which the proxy finds its server, or none',
  args: { ...orgArgument, host: 'such as acme.crm.example.com, or none' },
  options: { json },
  audit: 'org.host_set',
  run: ({ args, write, open }) =>
    open((store) =>
      write(store, () => {
        const org = orgNamed(store, args.org)
        const host = args.host === 'none' ? null : args.host.toLowerCase()
        if (host !== null && !HOST.test(host))
          throw usage(`${args.host} is not a host name. Use a form such as acme.crm.example.com, or none.`)
        const other = allOrgsEver(store.db).find((each) => each.host === host && host !== null)
        if (other && other.id !== org.id) throw conflict('host_taken', `${host} is the host name of ${other.name}.`)
        setHost(store.db, org.id, host)
        return {
          json: { id: org.public_id, host },
          text: host === null ? `${org.name} has no host name.` : `${org.name} has the host name ${host}.`,
          // The log of an organisation that has moved goes on at the other server.
          audit: { org: org.moved_to === null ? org.id : null, record: org.public_id, detail: { host } },
        }
      }),
    ),
})
