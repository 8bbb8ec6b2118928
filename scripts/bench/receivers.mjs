// Five webhook receivers in a separate process, on free ports: prints the ports, then counts deliveries. A GET returns
// the number of deliveries and the time of the last one.
import { createServer } from 'node:http'

let count = 0
let lastAt = 0
const servers = Array.from({ length: 5 }, () =>
  createServer((req, res) => {
    if (req.method === 'GET') return res.end(JSON.stringify({ count, lastAt }))
    req.resume().on('end', () => {
      count++
      lastAt = Date.now()
      res.end('ok')
    })
  }).listen(0, '127.0.0.1'),
)
await Promise.all(servers.map((server) => new Promise((done) => server.once('listening', done))))
console.log(JSON.stringify(servers.map((server) => server.address().port)))
