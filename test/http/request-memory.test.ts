import { once } from 'node:events'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { serve } from '@hono/node-server'
import { Hono } from 'hono'
import { expect, onTestFinished, test } from 'vitest'
import { connectionOf, type RequestMemory } from '../../src/http/connection.ts'
import { BYTES_WITH_KEY, countMemory } from '../../src/http/request-memory.ts'
import { until } from '../support/until.ts'

test('a request counts nothing after its response, even if its handler goes on', async () => {
  const memories: RequestMemory[] = []
  const app = new Hono()
  app.use(countMemory())
  app.get('/', (context) => {
    const { memory } = connectionOf(context)
    memory?.countFor('an organization')
    memory?.resize('response', BYTES_WITH_KEY / 5)
    memories.push(memory as RequestMemory)
    return context.text('')
  })
  for (let i = 0; i < 5; i++) {
    expect((await app.request('/')).status).toBe(200)
    for (const memory of memories) memory.resize('response', BYTES_WITH_KEY / 5)
  }
})

test('a client that does not read its response in time is disconnected', async () => {
  const app = new Hono()
  app.use(countMemory({ readTimeoutMs: 2_000 }))
  app.get('/', (context) => {
    connectionOf(context).memory?.countFor('an organization')
    return context.text('x'.repeat(8_000_000))
  })
  const server = serve({ fetch: app.fetch, port: 0, hostname: '127.0.0.1' })
  onTestFinished(() => void server.close())
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const read = await fetch(`http://127.0.0.1:${port}/`)
  expect((await read.text()).length).toBe(8_000_000)

  const socket = connect(port, '127.0.0.1')
  socket.on('error', () => {})
  socket.write('GET / HTTP/1.1\r\nhost: x\r\n\r\n')
  const [, connection] = await Promise.all([once(socket, 'readable'), once(server, 'connection')])
  await until(() => (connection[0] as Socket).destroyed, 'the server closes the connection')
  socket.destroy()
})
