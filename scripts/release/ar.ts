/** An archive of ar(1), which a package of Debian is. */
export function ar(files: Record<string, Buffer>, seconds: number): Buffer {
  const parts = Object.entries(files).flatMap(([name, bytes]) => [
    Buffer.from(
      name.padEnd(16) +
        String(seconds).padEnd(12) +
        '0'.padEnd(6) +
        '0'.padEnd(6) +
        '100644'.padEnd(8) +
        String(bytes.length).padEnd(10) +
        '`\n',
    ),
    bytes,
    Buffer.alloc(bytes.length % 2, '\n'),
  ])
  return Buffer.concat([Buffer.from('!<arch>\n'), ...parts])
}
