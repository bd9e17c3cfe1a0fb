import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { assertAnswered, openReceiver, openSender, poll, post } from './sending.ts'
import { OK } from './tls-receiver.ts'

/** Closes each connection after its answer, and notes which of them resumed a TLS session. */
async function openClosingReceiver() {
  const resumed: boolean[] = []
  const receiver = await openReceiver((socket) => {
    resumed.push(socket.isSessionReused())
    socket.write('HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: 0\r\n\r\n')
  })
  return { receiver, resumed }
}

test('requests to one origin go over one connection, one after the other', async () => {
  const receiver = await openReceiver()
  const sender = openSender()
  for (let i = 0; i < 20; i += 1) assertAnswered(await post(sender, receiver))
  expect(receiver.connections).toBe(1)
})

test('no more connections are made to an origin than allowed; further requests wait their turn', async () => {
  const receiver = await openReceiver((socket) => setTimeout(() => socket.write(OK), 50))
  const sender = openSender({ connectionsPerOrigin: 2, acknowledgeTimeoutMs: 300 })
  const outcomes = await Promise.all(Array.from({ length: 20 }, () => post(sender, receiver)))
  for (const outcome of outcomes) {
    assertAnswered(outcome)
    expect(outcome.durationMs).toBeLessThan(400)
  }
  expect(receiver.connections).toBe(2)
})

test('requests that wait are sent when those before them fail', async () => {
  const receiver = await openReceiver((socket, { connection }) => {
    if (connection <= 2) socket.destroy()
    else socket.write(OK)
  })
  const sender = openSender({ connectionsPerOrigin: 1 })
  const outcomes = await Promise.all([1, 2, 3, 4].map(() => post(sender, receiver)))
  expect(outcomes.map(({ kind }) => kind)).toEqual([
    'unreachable',
    'unreachable',
    'answered',
    'answered',
  ])
})

test('a receiver that wants its connection closed gets a new one each time', async () => {
  const receiver = await openReceiver((socket) => {
    socket.write('HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: 2\r\n\r\nok')
  })
  const sender = openSender()
  for (const connections of [1, 2, 3]) {
    assertAnswered(await post(sender, receiver))
    expect(receiver.connections).toBe(connections)
  }
  await poll(() => receiver.openConnections === 0)
})

test('a receiver that tells how long it keeps connections is believed', async () => {
  const receiver = await openReceiver((socket) => {
    socket.write('HTTP/1.1 200 OK\r\nkeep-alive: timeout=1\r\ncontent-length: 2\r\n\r\nok')
  })
  assertAnswered(await post(openSender(), receiver))
  await poll(() => receiver.openConnections === 0)
})

test('a connection of HTTP/1.0 is kept where the receiver says so', async () => {
  const receiver = await openReceiver((socket) => {
    socket.write('HTTP/1.0 200 OK\r\nconnection: keep-alive\r\ncontent-length: 0\r\n\r\n')
  })
  const sender = openSender()
  for (const _ of [1, 2]) assertAnswered(await post(sender, receiver))
  expect(receiver.connections).toBe(1)
})

test('a connection on which something comes unasked is closed, and never read as an answer', async () => {
  const receiver = await openReceiver((socket, { connection }) => {
    socket.write(OK)
    if (connection > 1) return
    setTimeout(() => socket.write('HTTP/1.1 500 Unasked\r\ncontent-length: 0\r\n\r\n'), 50)
  })
  const sender = openSender()
  expect(await post(sender, receiver)).toMatchObject({ status: 200 })
  await poll(() => receiver.openConnections === 0)
  expect(await post(sender, receiver)).toMatchObject({ status: 200 })
  expect(receiver.connections).toBe(2)
})

test('a further connection resumes the TLS session', async () => {
  const { receiver, resumed } = await openClosingReceiver()
  const sender = openSender()
  for (const _ of [1, 2, 3]) assertAnswered(await post(sender, receiver))
  expect(resumed).toEqual([false, true, true])
})

test('connections are used for 5 minutes, so that a change in the DNS is noticed under steady traffic', async () => {
  vi.useFakeTimers({ toFake: ['performance'] })
  onTestFinished(() => void vi.useRealTimers())
  const receiver = await openReceiver()
  const sender = openSender()
  for (const [minutes, connections] of [
    [0, 1],
    [3, 1],
    [3, 2],
    [3, 2],
  ] as const) {
    vi.advanceTimersByTime(minutes * 60_000)
    assertAnswered(await post(sender, receiver))
    expect(receiver.connections).toBe(connections)
  }
  await poll(() => receiver.openConnections === 1)
})

test('the certificate is verified anew every hour', async () => {
  vi.useFakeTimers({ toFake: ['performance'] })
  onTestFinished(() => void vi.useRealTimers())
  const { receiver, resumed } = await openClosingReceiver()
  const sender = openSender()
  const postLater = async (minutes: number) => {
    vi.advanceTimersByTime(minutes * 60_000)
    assertAnswered(await post(sender, receiver))
  }
  for (const minutes of [0, 20, 20, 21, 20]) await postLater(minutes)
  expect(resumed).toEqual([false, true, true, false, true])
})

test('connections that begin together resume one TLS session, and are verified anew where it is not known', async () => {
  const { receiver, resumed } = await openClosingReceiver()
  const sender = openSender()
  const postTogether = async () => {
    const outcomes = await Promise.all([1, 2, 3].map(() => post(sender, receiver)))
    for (const outcome of outcomes) assertAnswered(outcome)
    return resumed.splice(0)
  }
  expect(await postTogether()).toEqual([false, false, false])
  expect(await postTogether()).toEqual([true, true, true])
  receiver.forgetSessions()
  expect(await postTogether()).toEqual([false, false, false])
  expect(await postTogether()).toEqual([true, true, true])
})

describe('a connection that the receiver has closed', () => {
  test('while it was at rest is not used: the request is sent once, on another', async () => {
    const receiver = await openReceiver((socket, { connection }) => {
      socket.write(OK)
      if (connection === 1) socket.end()
    })
    const sender = openSender()
    assertAnswered(await post(sender, receiver))
    await sleep(50)
    assertAnswered(await post(sender, receiver))
    expect(receiver.requests.map(({ connection }) => connection)).toEqual([1, 2])
  })

  test('just when it was used again is replaced, and the request sent once more', async () => {
    const seen = new Map<number, number>()
    const receiver = await openReceiver((socket, { connection }) => {
      seen.set(connection, (seen.get(connection) ?? 0) + 1)
      if (connection === 1 && seen.get(1) === 2) socket.destroy()
      else socket.write(OK)
    })
    const sender = openSender()
    const outcomes = [await post(sender, receiver), await post(sender, receiver)]
    expect(outcomes).toMatchObject([
      { status: 200, resent: false },
      { status: 200, resent: true },
    ])
    expect(receiver.requests.map(({ connection }) => connection)).toEqual([1, 1, 2])
  })

  test('and the next one too, makes the attempt fail: there is one more try, not two', async () => {
    let count = 0
    const receiver = await openReceiver((socket) => {
      count += 1
      if (count === 1) socket.write(OK)
      else socket.destroy()
    })
    const sender = openSender()
    assertAnswered(await post(sender, receiver))
    expect(await post(sender, receiver)).toMatchObject({
      kind: 'unreachable',
      code: 'closed_early',
    })
    expect(receiver.requests.map(({ connection }) => connection)).toEqual([1, 1, 2])
  })

  test('when it was new makes the attempt fail: that was no accident', async () => {
    const receiver = await openReceiver((socket) => socket.destroy())
    expect(await post(openSender(), receiver)).toMatchObject({ code: 'closed_early' })
    expect(receiver.requests).toHaveLength(1)
  })

  test('after a first byte of an answer makes the attempt fail', async () => {
    let count = 0
    const receiver = await openReceiver((socket) => {
      count += 1
      if (count === 1) socket.write(OK)
      else socket.end('H')
    })
    const sender = openSender()
    assertAnswered(await post(sender, receiver))
    expect(await post(sender, receiver)).toMatchObject({ code: 'closed_early' })
    expect(receiver.requests).toHaveLength(2)
  })

  test('later than the connect time makes the attempt fail, so that the whole stays bounded', async () => {
    let count = 0
    const receiver = await openReceiver((socket) => {
      count += 1
      if (count === 1) socket.write(OK)
      else setTimeout(() => socket.destroy(), 300)
    })
    const sender = openSender({ connectTimeoutMs: 200 })
    assertAnswered(await post(sender, receiver))
    expect(await post(sender, receiver)).toMatchObject({ code: 'closed_early' })
    expect(receiver.requests).toHaveLength(2)
  })

  test('while many requests use its like costs none of them its answer', async () => {
    let count = 0
    const receiver = await openReceiver((socket) => {
      count += 1
      if (count % 7 === 0) socket.end(OK)
      else if (count % 5 === 0) socket.end('HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n')
      else socket.write(OK)
    })
    const sender = openSender({ connectionsPerOrigin: 8 })
    const outcomes = await Promise.all(Array.from({ length: 500 }, () => post(sender, receiver)))
    for (const outcome of outcomes) expect(outcome).toMatchObject({ status: 200 })
  })
})
