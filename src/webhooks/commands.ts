import { command, json, org } from '../command/command.ts'
import { aligned } from '../command/text.ts'
import { usage } from '../lib/problem.ts'
import { batches } from '../store/batches.ts'
import type { Condition } from '../store/list/conditions.ts'
import type { ListQuery } from '../store/list/query.ts'
import { type Delivery, columns as deliveryColumns, deliveryStore } from './deliveries.ts'
import { replayStore } from './replay.ts'
import { columns, webhookStore } from './webhooks.ts'

// A running server detects what these commands write, and sends it.

const STATUSES = ['pending', 'delivered', 'failed']
const webhook = 'id of the webhook, as shown by "dealbox webhooks list"'
/** All of an organisation, which has at most 50. */
export const NEWEST: ListQuery = { limit: 100, sort: { column: 'id' }, descending: true, conditions: [], count: false }

export const webhooksList = command({
  name: 'webhooks list',
  summary: 'List the webhooks of an organisation, and how many events each has to send',
  options: { org, json },
  run: ({ openOrg }) =>
    openOrg((_, number, deps) => {
      const { backlog } = replayStore(deps)
      const { rows } = webhookStore(deps).list(number, NEWEST)
      const all = rows.map(columns.present).map((each) => ({ ...each, backlog: backlog(number, each.id) }))
      const table = all.map(({ id, status, url, backlog, last_success_at, disabled_reason }) => [
        id,
        status,
        `${backlog.pending} pending, ${backlog.unseen_events} unseen`,
        last_success_at ?? 'never',
        disabled_reason === null ? url : `${url} (${disabled_reason})`,
      ])
      return { json: all, text: aligned([['ID', 'STATUS', 'TO SEND', 'LAST SUCCESS', 'URL'], ...table]) }
    }),
})

export const webhooksDeliveries = command({
  name: 'webhooks deliveries',
  summary: 'List the last 100 deliveries of a webhook, each with its last attempt',
  args: { webhook },
  options: {
    status: {
      type: 'string',
      placeholder: 'STATUS',
      help: 'only deliveries with this status: pending, delivered or failed',
    },
    org,
    json,
  },
  run: ({ options, args, openOrg }) => {
    const { status } = options
    if (status !== undefined && !STATUSES.includes(status))
      throw usage(`--status must be one of ${STATUSES.join(', ')}.`)
    return openOrg((_, org, deps) => {
      const who = { org, member: null }
      const { list } = deliveryStore(deps).open(who, args.webhook)
      const conditions: Condition[] =
        status === undefined ? [] : [{ column: 'status', operator: 'eq', values: [status], indexed: true }]
      const { rows } = list(who.org, { ...NEWEST, conditions }, who)
      const all = rows.map(deliveryColumns.present)
      return { json: all, text: aligned([['ID', 'EVENT', 'STATUS', 'TRIES', 'LAST ATTEMPT'], ...all.map(rowOf)]) }
    })
  },
})

function rowOf({ id, type, seq, status, tries, next_try_at }: Delivery): string[] {
  const last = tries.at(-1)
  const next = next_try_at === null ? '' : `, next ${next_try_at}`
  const how = last ? `${last.at} ${last.error ?? `answered ${last.response_status}`}${next}` : ''
  return [id, seq === null ? type : `${seq} ${type}`, status, String(tries.length), how]
}

export const webhooksRedeliver = command({
  name: 'webhooks redeliver',
  summary: 'Send a delivery again, or now if it waits for its next attempt',
  args: { delivery: 'id of the delivery, as shown by "dealbox webhooks deliveries"' },
  options: { org, json },
  audit: 'webhook.redelivered',
  run: ({ args, write, openOrg }) =>
    openOrg((store, org, deps) => {
      const who = { org, member: null }
      const { ofAny, redeliver } = deliveryStore(deps)
      return write(store, () => {
        const delivery = redeliver(who, ofAny(who, args.delivery))
        return {
          json: delivery,
          text: `The server will send ${delivery.type} again. To see the result, use "dealbox webhooks deliveries".`,
          audit: { record: delivery.id },
        }
      })
    }),
})

export const webhooksReplay = command({
  name: 'webhooks replay',
  summary: 'Send all events from a given one on to a webhook again, in order',
  args: { webhook },
  options: {
    fromSeq: { type: 'string', placeholder: 'N', required: true, help: 'the `seq` of the first event' },
    org,
    json,
  },
  audit: 'webhook_replay',
  run: ({ options, args, writeInParts, openOrg }) => {
    if (!/^[1-9]\d{0,14}$/.test(options.fromSeq)) throw usage('--from-seq must be a whole number, 1 or more.')
    return openOrg((opened, org, deps) =>
      writeInParts(opened, (store) => {
        const who = { org, member: null }
        const { replay } = replayStore(deps)
        const answer = replay(batches(store), who, args.webhook, Number(options.fromSeq))
        const { from_seq, to_seq } = answer
        return {
          json: answer,
          text: `The events ${from_seq} to ${to_seq} will be sent again, as far as the webhook subscribes to them.`,
          audit: { record: args.webhook, detail: { from_seq, to_seq } },
        }
      }),
    )
  },
})
