import { Hono } from 'hono'
import { describe, expect, test } from 'vitest'
import {
  bytesInFlight,
  connectionOf,
  createEntrance,
  enter,
  type InFlight,
  LARGE_BYTES,
} from '../../src/http/connection.ts'
import type { DomainError } from '../../src/lib/errors.ts'
import { until } from '../support/until.ts'

const CONFIG = { maxHeapMb: 192, trustedProxies: [] }

test('a request counts nothing after its response, even if its handler goes on', async () => {
  const places: InFlight[] = []
  const bytes = bytesInFlight(CONFIG) / 5
  const app = new Hono()
  app.use(enter(createEntrance(CONFIG)))
  app.get('/', (context) => {
    const { inFlight } = connectionOf(context)
    inFlight?.admit('an organization')
    inFlight?.resize('response', bytes)
    places.push(inFlight as InFlight)
    return context.text('')
  })
  for (let i = 0; i < 5; i++) {
    expect((await app.request('/')).status).toBe(200)
    for (const place of places) place.resize('response', bytes)
  }
})

describe('operations', () => {
  /** The numbers of requests that run, each with its caller, its size, and a way to end it. */
  function open() {
    const running = new Map<number, () => void>()
    const app = new Hono()
    app.use(enter(createEntrance(CONFIG)))
    app.get('/:number/:bytes/:caller', async (context) => {
      const { number, bytes, caller } = context.req.param()
      const { inFlight } = connectionOf(context)
      inFlight?.admit(caller)
      await inFlight?.takeTurn(Number(bytes))
      await new Promise<void>((end) => running.set(Number(number), end))
      return context.text('')
    })
    const send = (number: number, bytes: number, caller: string) =>
      app.request(`/${number}/${bytes}/${caller}`)
    const end = (number: number) => {
      running.get(number)?.()
      running.delete(number)
    }
    return { send, end, running: () => [...running.keys()].sort() }
  }

  const LARGE = LARGE_BYTES
  const SMALL = 1_000

  test('of one organization that are large run one after the other, and delay no other', async () => {
    const { send, end, running } = open()
    const responses = [send(1, LARGE, 'a'), send(2, LARGE, 'a'), send(3, SMALL, 'a')]
    responses.push(send(4, LARGE, 'another'))
    await until(() => running().length === 3, 'the first of each and the small one run')
    expect(running()).toEqual([1, 3, 4])
    end(1)
    await until(() => running().includes(2), 'the second runs')
    for (const number of [2, 3, 4]) end(number)
    await Promise.all(responses)
  })

  test('that are large run three at a time, and organizations take turns', async () => {
    const { send, end, running } = open()
    const owners = ['a', 'a', 'b', 'c', 'd']
    const responses = owners.map((owner, number) => send(number, LARGE, owner))
    await until(() => running().length === 3, 'three run')
    expect(running()).toEqual([0, 2, 3])
    end(0)
    await until(() => running().includes(1), 'the one that waited longer runs')
    end(1)
    await until(() => running().includes(4), 'the one of the next organization runs')
    for (const number of [2, 3, 4]) end(number)
    await Promise.all(responses)
  })
})

test('organizations that take all they get leave a quarter of the rest to the next one', async () => {
  const free = bytesInFlight(CONFIG)
  const app = new Hono()
  app.use(enter(createEntrance(CONFIG)))
  app.onError((error) => Response.json((error as DomainError).code))
  app.get('/:owner/:bytes', async (context) => {
    const { owner, bytes } = context.req.param()
    const { inFlight } = connectionOf(context)
    inFlight?.admit(owner)
    inFlight?.resize('response', Number(bytes))
    if (owner !== 'last') await new Promise(() => {})
    return Response.json('done')
  })
  const ask = (owner: string, bytes: number) => app.request(`/${owner}/${Math.floor(bytes)}`)
  const LEAST = 16 * 1024
  for (const [owner, share] of [
    ['a', 1 / 4],
    ['b', 3 / 16],
    ['c', 9 / 64],
  ] as const) {
    expect(await (await ask(owner, free * share)).json()).toBe('rate_limited')
    void ask(owner, free * share - LEAST)
    expect(await (await ask(owner, 0)).json()).toBe('rate_limited')
  }
  expect(await (await ask('last', (free * 27) / 256 - LEAST)).json()).toBe('done')
})
