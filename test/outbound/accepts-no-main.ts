import { readSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'

// A process that listens with the shortest possible queue, reports its port, and accepts no connection.
const server = createServer()
server.listen({ ...JSON.parse(process.argv[2] ?? '{}'), backlog: 1 }, () => {
  const { port } = server.address() as AddressInfo
  process.send?.(port, () => readSync(0, Buffer.alloc(1)))
})
