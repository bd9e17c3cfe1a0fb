import type { Socket } from 'node:net'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { assertAnswered, openReceiver, openSender, poll, post } from './sending.ts'
import { OK } from './tls-receiver.ts'

test('connections are replaced after 5 minutes, so that DNS changes take effect under steady traffic', async () => {
  vi.useFakeTimers({ toFake: ['Date'] })
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

test('no TLS session is resumed, so that each connection verifies the certificate', async () => {
  const resumed: boolean[] = []
  const receiver = await openReceiver((socket) => {
    resumed.push(socket.isSessionReused())
    socket.write('HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: 0\r\n\r\n')
  })
  const sender = openSender()
  for (let i = 0; i < 3; i++) assertAnswered(await post(sender, receiver))
  expect(resumed).toEqual([false, false, false])
})

describe('a connection that the receiver closes', () => {
  test('while it is idle is not reused: the request is sent once, on another', async () => {
    const receiver = await openReceiver((socket, { connection }) => {
      socket.write(OK)
      if (connection === 1) socket.end()
    })
    const sender = openSender()
    assertAnswered(await post(sender, receiver))
    await poll(() => receiver.openConnections === 0)
    assertAnswered(await post(sender, receiver))
    expect(receiver.requests.map(({ connection }) => connection)).toEqual([1, 2])
  })

  const closes = (socket: Socket) => socket.destroy()
  const answers = (socket: Socket) => socket.write(OK)
  const closed = { code: 'closed_early' }

  // Each with what the receiver does at each request, the outcome of the last one, and the connections of the requests.
  test.each([
    [
      'at the moment of reuse is replaced, and the request is sent once more',
      [answers, closes, answers],
      { status: 200, resent: true },
      [1, 1, 2],
    ],
    [
      'together with the next one fails the attempt: the request is resent only once',
      [answers, closes, closes],
      closed,
      [1, 1, 2],
    ],
    ['when it is new fails the attempt', [closes], closed, [1]],
    [
      'after the first byte of a response fails the attempt',
      [answers, (socket: Socket) => socket.end('H')],
      closed,
      [1, 1],
    ],
    [
      'later than the connect timeout fails the attempt, so that its total time stays bounded',
      [answers, (socket: Socket) => setTimeout(() => socket.destroy(), 600)],
      closed,
      [1, 1],
    ],
  ])('%s', async (_what, script, expected, connections) => {
    const receiver = await openReceiver((socket) => {
      script[receiver.requests.length - 1]?.(socket)
    })
    const sender = openSender({ connectTimeoutMs: 500 })
    if (script[0] === answers) {
      expect(await post(sender, receiver)).toMatchObject({ status: 200, resent: false })
    }
    expect(await post(sender, receiver)).toMatchObject(expected)
    expect(receiver.requests.map(({ connection }) => connection)).toEqual(connections)
  })
})
