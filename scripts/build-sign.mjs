import { hash } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'

// The numbers are from Apple's loader.h and cs_blobs.h.
const segmentCommand = 0x19
const signatureCommand = 0x1d
const pageSize = 4096
const directoryOffset = 24

/**
 * Signs an unsigned 64-bit Mach-O executable like a linker: ad hoc, with a hash of each page and no certificate. Apple
 * silicon kills unsigned programs, and codesign only runs on macOS.
 */
export function signMachO(file, identifier) {
  const unsigned = readFileSync(file)
  const codeSize = align(unsigned.length, 16)
  const program = Buffer.concat([unsigned], codeSize)
  const { linkEdit, text, commandsEnd, firstSection } = readCommands(program)
  if (commandsEnd + 16 > firstSection) throw new Error(`${file} has no room for the load command of a signature`)

  const headerSize = align(directoryOffset + 88 + identifier.length + 1, 16)
  const signatureSize = headerSize + Math.ceil(codeSize / pageSize) * 32
  const linkEditSize = codeSize + signatureSize - Number(program.readBigUInt64LE(linkEdit + 40))
  program.writeBigUInt64LE(BigInt(align(linkEditSize, 0x4000)), linkEdit + 32)
  program.writeBigUInt64LE(BigInt(linkEditSize), linkEdit + 48)
  program.writeUInt32LE(program.readUInt32LE(16) + 1, 16)
  program.writeUInt32LE(program.readUInt32LE(20) + 16, 20)
  for (const [index, value] of [signatureCommand, 16, codeSize, signatureSize].entries()) {
    program.writeUInt32LE(value, commandsEnd + 4 * index)
  }
  // Last, since it also covers the header changed above.
  const index = Buffer.concat([numbers(0xfade0cc0, signatureSize, 1, 0, directoryOffset)], directoryOffset)
  const directory = codeDirectory(program, identifier, program.readBigUInt64LE(text + 48), headerSize - directoryOffset)
  writeFileSync(file, Buffer.concat([program, index, directory]))
}

/** Removes the entry of Node's own signature, which the added blob invalidated, from a Windows executable. */
export function dropAuthenticode(file) {
  const program = readFileSync(file)
  const optionalHeader = program.readUInt32LE(0x3c) + 24
  program.fill(0, optionalHeader + 144, optionalHeader + 152)
  writeFileSync(file, program)
}

function readCommands(program) {
  if (program.readUInt32LE(0) !== 0xfeedfacf) throw new Error('not a 64-bit Mach-O file')
  const found = { commandsEnd: 32 + program.readUInt32LE(20), firstSection: Number.POSITIVE_INFINITY }
  let offset = 32
  for (let left = program.readUInt32LE(16); left > 0; left -= 1) {
    const command = program.readUInt32LE(offset)
    if (command === signatureCommand) throw new Error('already signed')
    if (command === segmentCommand) {
      const name = program.toString('latin1', offset + 8, offset + 24).replaceAll('\0', '')
      if (name === '__LINKEDIT') found.linkEdit = offset
      if (name === '__TEXT') found.text = offset
      if (name === '__TEXT') found.firstSection = firstSectionOf(program, offset)
    }
    offset += program.readUInt32LE(offset + 4)
  }
  return found
}

function firstSectionOf(program, segment) {
  const count = program.readUInt32LE(segment + 64)
  return Math.min(...Array.from({ length: count }, (_, index) => program.readUInt32LE(segment + 72 + 80 * index + 48)))
}

function codeDirectory(program, identifier, textSize, hashesAt) {
  const pages = Math.ceil(program.length / pageSize)
  const hashes = Array.from({ length: pages }, (_, page) =>
    hash('sha256', program.subarray(page * pageSize, (page + 1) * pageSize), 'buffer'),
  )
  const flags = 0x20002 // ad hoc, signed by a linker
  const directory = Buffer.alloc(hashesAt)
  numbers(0xfade0c02, hashesAt + 32 * pages, 0x20400, flags, hashesAt, 88, 0, pages, program.length).copy(directory)
  directory.set([32, 2, 0, Math.log2(pageSize)], 36) // bytes of a hash, SHA-256, any platform
  directory.writeBigUInt64BE(textSize, 72)
  directory.writeBigUInt64BE(1n, 80) // a main program
  directory.write(identifier, 88)
  return Buffer.concat([directory, ...hashes])
}

function numbers(...values) {
  const buffer = Buffer.alloc(4 * values.length)
  for (const [index, value] of values.entries()) buffer.writeUInt32BE(value, 4 * index)
  return buffer
}

function align(size, unit) {
  return Math.ceil(size / unit) * unit
}
