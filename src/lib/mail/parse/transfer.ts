import type { MailIn, ReceivedFile } from '../mail.ts'

// Moves mails between threads: large buffers are transferred, not copied.

export type Transferred = Omit<MailIn, 'files'> & {
  files: (Omit<ReceivedFile, 'bytes'> & { bytes: Uint8Array<ArrayBuffer> })[]
}

/** Small buffers share a memory pool, which must not be transferred: those are copied. */
export const ownBuffer = (bytes: Uint8Array): Uint8Array<ArrayBuffer> =>
  bytes.length === bytes.buffer.byteLength ? (bytes as Uint8Array<ArrayBuffer>) : new Uint8Array(bytes)

/** Returns the mail, and the buffers to transfer with it. */
export function toTransferable(mail: MailIn): { mail: Transferred; transfer: ArrayBuffer[] } {
  const files = mail.files.map((file) => ({ ...file, bytes: ownBuffer(file.bytes) }))
  return { mail: { ...mail, files }, transfer: files.map(({ bytes }) => bytes.buffer) }
}

/** Restores the mail in the receiving thread. */
export const fromTransferable = (mail: Transferred): MailIn => ({
  ...mail,
  files: mail.files.map((file) => ({ ...file, bytes: Buffer.from(file.bytes.buffer) })),
})
