import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, expect, test } from 'vitest'
import { limitSilence } from '../../../src/console/api/silence-limit.ts'

const LIMIT_MS = 1_000
const servers = new AsyncDisposableStack()
afterAll(() => servers.disposeAsync())

test('a stream that falls silent fails after the limit', async () => {
  const url = await serve((_request, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.write(':\n\n')
  })
  const response = await limitSilence(fetch, LIMIT_MS)(url)
  await expect(response.text()).rejects.toThrow('The stream is silent.')
})

test('a stream that sends something within the limit goes on, and ends in peace', async () => {
  const url = await serve((_request, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    let sent = 0
    const timer = setInterval(() => {
      response.write('.')
      sent += 1
      if (sent < 12) return
      clearInterval(timer)
      response.end()
    }, LIMIT_MS / 10)
  })
  const response = await limitSilence(fetch, LIMIT_MS)(url)
  expect(await response.text()).toBe('.'.repeat(12))
})

test('other responses may be silent', async () => {
  const url = await serve((_request, response) => {
    response.writeHead(200, { 'content-type': 'application/json' })
    response.write('{')
    setTimeout(() => response.end('}'), 1.2 * LIMIT_MS)
  })
  const response = await limitSilence(fetch, LIMIT_MS)(url)
  expect(await response.json()).toEqual({})
})

async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  servers.defer(async () => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
}
