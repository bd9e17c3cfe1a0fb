import type * as net from 'node:net'
import { describe, expect, test } from 'vitest'
import { openTlsReceiver } from './raw-receivers.ts'
import { assertAnswered, certificate, openReceiver, openSender, poll, post } from './sending.ts'

const KIB = 1024

describe('within the acknowledge timeout', () => {
  const acknowledgeTimeoutMs = 200

  test('a receiver that never reads the request times out, and its connection is closed', async () => {
    const sockets: net.Socket[] = []
    const receiver = await openTlsReceiver(certificate, (socket) => sockets.push(socket.pause()))()
    const sender = openSender({ acknowledgeTimeoutMs })
    const outcome = await post(sender, receiver, { body: Buffer.alloc(20 * KIB * KIB) })
    expect(outcome).toMatchObject({ kind: 'timed-out', phase: 'response' })
    // The receiver only notices the end when it reads.
    for (const socket of sockets) socket.resume()
    await poll(() => sockets.length === 1 && sockets.every((socket) => socket.destroyed))
  })
})

describe('the response head decides, even if the body fails:', () => {
  test.each([16 * KIB, 64 * KIB])('%i bytes are read in full', async (length) => {
    const receiver = await openReceiver((socket) => {
      socket.write(`HTTP/1.1 200 OK\r\ncontent-length: ${length}\r\n\r\n`)
      socket.write('x'.repeat(length))
    })
    const sender = openSender()
    for (const _ of [1, 2]) {
      const outcome = await post(sender, receiver)
      assertAnswered(outcome)
      expect(outcome.body).toHaveLength(16 * KIB)
      expect(outcome.bodyTruncated).toBe(length > 16 * KIB)
    }
    expect(receiver.connections).toBe(1)
  })
})
