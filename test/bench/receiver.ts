import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { createTestAuthority } from '../outbound/certificates.ts'

/** A TLS receiver in a process of its own: it counts, answers 200, and says so when asked. */
const authority = await createTestAuthority()
const { key, cert } = await authority.issue(['localhost', '127.0.0.1'])
let received = 0

const server = createServer({ key, cert }, (request, response) => {
  request.resume().once('end', () => {
    received += 1
    response.end()
  })
})
server.keepAliveTimeout = 60_000
server.listen(0, '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo
  process.send?.({ url: `https://127.0.0.1:${port}/`, authority: authority.pem })
})
process.on('message', () => process.send?.({ received }))
process.on('disconnect', () => process.exit())
