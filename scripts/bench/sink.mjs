// A mail server that accepts everything at once, and counts: the benchmark measures the sender. Prints its port.
import { createServer } from 'node:net'

let count = 0
const server = createServer((socket) => {
  let isMail = false
  let rest = ''
  socket
    .setEncoding('latin1')
    .setNoDelay()
    .on('error', () => {})
  socket.write('220 sink\r\n')
  socket.on('data', (chunk) => {
    rest += chunk
    for (let end = rest.indexOf('\r\n'); end >= 0; end = rest.indexOf('\r\n')) {
      const line = rest.slice(0, end)
      rest = rest.slice(end + 2)
      if (isMail && line !== '.') continue
      if (isMail) {
        count++
        isMail = false
        socket.write('250 kept\r\n')
      } else if (line === 'DATA') {
        isMail = true
        socket.write('354 go on\r\n')
      } else socket.write(line === 'QUIT' ? '221 bye\r\n' : '250 ok\r\n')
    }
  })
})
server.listen(0, '127.0.0.1', () => process.stdout.write(`${server.address().port}\n`))
process.on('message', () => process.send(count))
