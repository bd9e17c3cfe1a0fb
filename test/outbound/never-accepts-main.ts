import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'

// A process that listens with the shortest possible queue, reports its port, and never accepts a connection.
const server = createServer()
server.listen({ port: 0, host: '127.0.0.1', backlog: 1 })
await once(server, 'listening')
process.send?.((server.address() as AddressInfo).port, () => {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)
})
