import { orgArgument, orgNamed } from '../../../app/settings/commands/org.ts'
import { accountActor } from '../../../command/audit-writes.ts'
import { command, json } from '../../../command/command.ts'
import { conflict, usage } from '../../../lib/problem.ts'
import { departureStore } from '../departures.ts'
import { declareMoved, eraseMoved, isErased } from '../erasing.ts'
import { checkAddress } from './org-move.ts'

// What a move has left behind: it is erased in the end, or the organisation again.

export const orgErase = command({
  name: 'org erase',
  summary: 'Erase what is left here of an organisation that has moved; requests are still told where it is',
  args: orgArgument,
  options: {
    movedTo: {
      type: 'string',
      placeholder: 'URL',
      help: 'where it is, if it is open here although another server has it: after a backup from before the move was restored',
    },
    yes: { type: 'boolean', help: 'confirm --moved-to: it cannot be undone' },
    json,
  },
  audit: 'org.erase',
  run: ({ options, args, writeInParts, open }) => {
    const address = options.movedTo === undefined ? undefined : checkAddress('--moved-to', options.movedTo)
    return open((store) =>
      writeInParts(store, async (parted) => {
        const org = orgNamed(store, args.org)
        if (org.moved_to === null) {
          if (address === undefined)
            throw conflict(
              'not_moved',
              `${org.name} has not moved: only what a move left behind can be erased. If another server has it all the same, say where with --moved-to.`,
            )
          if (!options.yes)
            throw usage(`${org.name} is open here, and this cannot be undone. If it is at ${address}, add --yes.`)
          await declareMoved(parted, { dataDir: options.data, org, address, actor: accountActor() })
        } else if (address !== undefined) {
          throw conflict('moved', `${org.name} has moved to ${org.moved_to}. Leave out --moved-to.`)
        }
        eraseMoved(parted, org.id)
        return {
          json: { org_id: org.public_id },
          text: `Erased what was left of ${org.name}.`,
          audit: { org: null, record: org.public_id },
        }
      }),
    )
  },
})

export const orgTakeBack = command({
  name: 'org take-back',
  summary: 'Open what a move left here again, when the other server has lost the organisation',
  args: orgArgument,
  options: {
    yes: { type: 'boolean', help: 'confirm: the other server does not have it any more' },
    json,
  },
  audit: 'org.taken_back',
  run: ({ options, args, write, open }) =>
    open((store) =>
      write(store, () => {
        const org = orgNamed(store, args.org)
        if (org.moved_to === null) throw conflict('not_moved', `${org.name} has not moved: it is open here.`)
        if (isErased(store, org.id))
          throw conflict('erased', `What was left of ${org.name} has been erased. Restore a backup from before.`)
        if (!options.yes)
          throw usage(
            `If ${org.moved_to} still has ${org.name}, both servers would go on with it, and nothing brings that together again. Erase it there first, then add --yes.`,
          )
        departureStore(store).takeBack(org.id)
        return {
          json: { org_id: org.public_id },
          text: `${org.name} is open here again.`,
          note: `It is as it was when it moved: what was written at ${org.moved_to} is not here, and what was sent from there is sent again. The other server must not have it any more: use "dealbox org erase" there. Then let the proxy know, by "dealbox org list --map".`,
          audit: { org: org.id, record: org.public_id, detail: { moved_to: org.moved_to } },
        }
      }),
    ),
})
