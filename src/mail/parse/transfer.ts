import type { MailFile, MailIn } from '../mail.ts'

// How bytes go from one thread to another: they are handed over, and nothing is copied that is large.

export type Transferred = Omit<MailIn, 'files'> & {
  files: (Omit<MailFile, 'bytes'> & { bytes: Uint8Array<ArrayBuffer> })[]
}

/** Small ones share their memory with others, from which it would be taken. */
export const ownBuffer = (bytes: Uint8Array): Uint8Array<ArrayBuffer> =>
  bytes.length === bytes.buffer.byteLength ? (bytes as Uint8Array<ArrayBuffer>) : new Uint8Array(bytes)

/** The mail, and what has to be handed over with it. */
export function toTransferable(mail: MailIn): { mail: Transferred; transfer: ArrayBuffer[] } {
  const files = mail.files.map((file) => ({ ...file, bytes: ownBuffer(file.bytes) }))
  return { mail: { ...mail, files }, transfer: files.map(({ bytes }) => bytes.buffer) }
}

/** As it was on the other side. */
export const fromTransferable = (mail: Transferred): MailIn => ({
  ...mail,
  files: mail.files.map((file) => ({ ...file, bytes: Buffer.from(file.bytes.buffer) })),
})
