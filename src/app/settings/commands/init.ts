import { command, json } from '../../../command/command.ts'
import { machineZone } from '../../../lib/machine/machine-zone.ts'
import { makeOrg, newOrgSettings, prepareFolder } from '../new-org.ts'

export const init = command({
  name: 'init',
  summary: 'Create an organisation with its first owner, and the data folder if it does not exist',
  options: {
    org: { type: 'string', placeholder: 'NAME', required: true, help: 'name of the organisation' },
    email: { type: 'string', placeholder: 'EMAIL', required: true, help: 'email of the owner' },
    name: {
      type: 'string',
      placeholder: 'NAME',
      help: 'name of the owner; by default the part of the email before the @',
    },
    timezone: {
      type: 'string',
      placeholder: 'ZONE',
      default: machineZone().zone,
      help: 'time zone of the organisation and the owner',
    },
    currency: { type: 'string', placeholder: 'CODE', default: 'EUR', help: 'default currency of the organisation' },
    bare: { type: 'boolean', help: 'omit the default pipeline, close reasons and business hours' },
    json,
  },
  audit: 'org.created',
  run: ({ options, write, open }) => {
    const { data, org, email, timezone, currency, bare } = options
    const name = options.name ?? (email.split('@')[0] as string)
    const settings = newOrgSettings({ name: org, currency, timezone, owner: { email, name }, bare })
    return open(
      (store) => {
        const answer = write(store, () => {
          const made = makeOrg(store, settings)
          return {
            json: { org_id: made.publicId, member_id: made.owner },
            text: `Created the organisation ${org} (${made.publicId}) with the owner ${email}.`,
            note: `To create a token: dealbox token create --data ${data} --email ${email} --scope all`,
            audit: { org: made.org, record: made.publicId, detail: { member_id: made.owner } },
          }
        })
        prepareFolder(store, data)
        return answer
      },
      { create: true },
    )
  },
})
