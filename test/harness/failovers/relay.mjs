// node relay.mjs LISTEN_HOST TARGET_HOST TARGET_PORT: passes connections on, and prints the port it listens on.
import { connect, createServer } from 'node:net'

const [listenHost, targetHost, targetPort] = process.argv.slice(2)
const server = createServer((near) => {
  const far = connect(Number(targetPort), targetHost)
  near.pipe(far).pipe(near)
  for (const [one, other] of [
    [near, far],
    [far, near],
  ])
    one.on('error', () => other.destroy()).on('close', () => other.destroy())
})
server.listen(0, listenHost, () => process.stdout.write(`${server.address().port}\n`))
