/** A receiver that verifies deliveries. Partners get the signing secret with their webhook. */
export function receiverSnippet(headerPrefix: string): string {
  const options = headerPrefix === 'wh-' ? '' : `, { headerPrefix: '${headerPrefix}' }`
  return `import { createServer } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { verify } from '@posthorn/receiver'

const secret = process.env.WEBHOOK_SECRET // whsec_…

createServer(async (request, response) => {
  const body = await buffer(request) // the raw bytes, which the signature covers
  const delivery = await verify(body, request.headers, secret${options})
  if (!delivery.ok) return response.writeHead(400).end(delivery.reason)

  // Store the event, once for each delivery.id: deliveries can repeat.
  console.log(delivery.id, delivery.event.type, delivery.event.data)
  response.writeHead(204).end()
}).listen(3000)
`
}

export const INSTALL = 'npm install @posthorn/receiver'
