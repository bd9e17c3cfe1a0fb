import { once } from 'node:events'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { serve } from '@hono/node-server'
import { Hono } from 'hono'
import { describe, expect, onTestFinished, test } from 'vitest'
import { connectionOf, type RequestMemory } from '../../src/http/connection.ts'
import { countMemory, RUNS_ALONE_BYTES, requestBytes } from '../../src/http/request-memory.ts'
import { until } from '../support/until.ts'

const CONFIG = { maxHeapMb: 192 }

test('a request counts nothing after its response, even if its handler goes on', async () => {
  const memories: RequestMemory[] = []
  const bytes = requestBytes(CONFIG).withKey / 5
  const app = new Hono()
  app.use(countMemory(CONFIG))
  app.get('/', (context) => {
    const { memory } = connectionOf(context)
    memory?.countFor('an organization')
    memory?.resize('response', bytes)
    memories.push(memory as RequestMemory)
    return context.text('')
  })
  for (let i = 0; i < 5; i++) {
    expect((await app.request('/')).status).toBe(200)
    for (const memory of memories) memory.resize('response', bytes)
  }
})

test('a client that does not read its response in time is disconnected', async () => {
  const app = new Hono()
  app.use(countMemory(CONFIG, { readTimeoutMs: 2_000 }))
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

describe('operations', () => {
  /** The numbers of requests that run, each with its caller, its size, and a way to end it. */
  function open() {
    const running = new Map<number, () => void>()
    const app = new Hono()
    app.use(countMemory(CONFIG))
    app.get('/:number/:bytes/:caller?', async (context) => {
      const { number, bytes, caller } = context.req.param()
      const { memory } = connectionOf(context)
      memory?.countFor(caller ?? null)
      await memory?.waitToRun(Number(bytes))
      await new Promise<void>((end) => running.set(Number(number), end))
      return context.text('')
    })
    const send = (number: number, bytes: number, caller = '') =>
      app.request(`/${number}/${bytes}/${caller}`.replace(/\/$/, ''))
    const end = (number: number) => {
      running.get(number)?.()
      running.delete(number)
    }
    return { send, end, running: () => [...running.keys()].sort() }
  }

  const LARGE = RUNS_ALONE_BYTES
  const SMALL = 1_000

  test.each([
    ['one organization', 'a', 'a'],
    ['all addresses without a key', '', ''],
  ])('of %s that are large run one after the other, and delay no other', async (_, one, same) => {
    const { send, end, running } = open()
    const responses = [send(1, LARGE, one), send(2, LARGE, same), send(3, SMALL, same)]
    responses.push(send(4, LARGE, 'another'))
    await until(() => running().length === 2, 'the first of each runs')
    expect(running()).toEqual([1, 4])
    end(1)
    await until(() => running().includes(2), 'the second runs')
    expect(running()).toEqual([2, 4])
    end(2)
    await until(() => running().includes(3), 'the third runs')
    end(3)
    end(4)
    await Promise.all(responses)
  })

  test('of different organizations that are large run as far as they fit in the heap, in turn, and delay no small one', async () => {
    const { send, end, running } = open()
    const half = requestBytes(CONFIG).ofLargeOperations / 2
    const responses = [send(1, half, 'a'), send(2, half, 'b'), send(3, half, 'a')]
    responses.push(send(4, half, 'c'), send(5, SMALL, 'd'))
    await until(() => running().length === 3, 'as many as fit run')
    expect(running()).toEqual([1, 2, 5])
    end(1)
    await until(() => running().includes(4), 'the one of another organization runs')
    expect(running()).toEqual([2, 4, 5])
    end(2)
    await until(() => running().includes(3), 'the last one runs')
    for (const number of [3, 4, 5]) end(number)
    await Promise.all(responses)
  })

  test('of one organization that are small run together, after a large one that came before', async () => {
    const { send, end, running } = open()
    const responses = [1, 2, 3].map((number) => send(number, SMALL, 'a'))
    responses.push(send(4, LARGE, 'a'), send(5, SMALL, 'a'))
    await until(() => running().length === 3, 'the small ones run')
    for (const number of [1, 2, 3]) end(number)
    await until(() => running().includes(4), 'the large one runs')
    expect(running()).toEqual([4])
    end(4)
    await until(() => running().includes(5), 'the last one runs')
    end(5)
    await Promise.all(responses)
  })
})
