// Loaded into the server before it starts: answers each message with the bytes of its heap after a collection of garbage.
process.on('message', () => {
  globalThis.gc?.()
  process.send?.(process.memoryUsage().heapUsed)
})
process.channel?.unref() // it must not keep the server from ending
