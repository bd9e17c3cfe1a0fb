import { openSync } from 'node:fs'
import { createHttpSender } from '../../src/outbound/http-sender.ts'
import { createAddressGuard } from '../../src/outbound/public-address.ts'

// A process that opens files until there is no free one, sends a request, and prints its outcome.
const sender = createHttpSender({
  guard: createAddressGuard(['127.0.0.0/8']),
  userAgent: 'Posthorn/test',
})
const send = () =>
  sender.send({
    organizationId: 'org_1',
    url: `https://127.0.0.1:${process.argv[2]}/`,
    headers: {},
    body: Buffer.from('{}'),
  })
// The first request loads everything that the sender needs.
await send()
try {
  for (;;) openSync('/dev/null', 'r')
} catch {}
process.stdout.write(JSON.stringify(await send()))
process.exit(0)
