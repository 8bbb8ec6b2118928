// Five webhook receivers in a separate process, on free ports: prints the ports, then counts deliveries. A GET returns
// the number of deliveries and the time of the last one. With a number N, every Nth delivery is refused.
import { createServer } from 'node:http'

const refused = Number(process.argv[2] ?? Number.POSITIVE_INFINITY)
let count = 0
let lastAt = 0
const servers = Array.from({ length: 5 }, () =>
  createServer((req, res) => {
    if (req.method === 'GET') return res.end(JSON.stringify({ count, lastAt }))
    req.resume().on('end', () => {
      count++
      lastAt = Date.now()
      res.writeHead(count % refused === 0 ? 503 : 200).end('ok')
    })
  }).listen(0, '127.0.0.1'),
)
await Promise.all(servers.map((server) => new Promise((done) => server.once('listening', done))))
console.log(JSON.stringify(servers.map((server) => server.address().port)))
