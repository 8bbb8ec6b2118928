import { bounceMakers } from './bounces.ts'
import { hostileMakers } from './hostile.ts'
import type { GeneratedMail, Maker } from './mail.ts'
import { newRandom } from './random.ts'
import { shapeMakers } from './shapes.ts'

// Mails as they come in from the world: the same ones for the same seed, one at a time, since some have 12 MiB.

const MAKERS: [string, Maker][] = [...shapeMakers, ...bounceMakers, ...hostileMakers]

/** To whom all of them are. */
export const MAIL_TO = 'sales@crm.example'

export function* generateMails(seed: number, count: number): Generator<GeneratedMail> {
  const random = newRandom(seed)
  for (let index = 0; index < count; index++) {
    const [kind, make] = MAKERS[index % MAKERS.length]!
    const n = Math.floor(index / MAKERS.length)
    const from = `${random.word()}.${random.word()}@${random.pick(['shop', 'works', 'studio', 'farm'])}.example`
    const date = new Date(
      Date.UTC(2026, random.int(11), 1 + random.int(28), random.int(24), random.int(60)),
    ).toUTCString()
    const setting = {
      random,
      n: n + (kind.startsWith('charset') ? index : 0),
      id: `<${index}.${random.word()}.${seed}@mail.example>`,
      from,
      to: MAIL_TO,
      date: date.replace('GMT', '+0000'),
    }
    const { source, expect } = make(setting)
    yield { name: `${index} ${kind}`, source: Buffer.from(source as string), expect }
  }
}
