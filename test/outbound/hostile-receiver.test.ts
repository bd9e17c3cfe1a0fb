import * as net from 'node:net'
import { describe, expect, onTestFinished, test } from 'vitest'
import { startStopwatch } from '../support/stopwatch.ts'
import { drip, pour } from './hostile-receivers.ts'
import { openTcpReceiver, openTlsReceiver } from './raw-receivers.ts'
import {
  assertAnswered,
  certificate,
  LOOPBACK,
  openReceiver,
  openSender,
  poll,
  post,
  TIMING,
} from './sending.ts'
import { OK } from './tls-receiver.ts'

const KIB = 1024

describe('within the connect timeout', () => {
  const connectTimeoutMs = 200

  test('a receiver that never completes TLS times out', async () => {
    const receiver = await openTcpReceiver(() => {})
    const outcome = await post(openSender({ connectTimeoutMs }), receiver)
    expect(outcome).toEqual({
      kind: 'timed-out',
      phase: 'connect',
      afterMs: 200,
      reason: 'No TLS connection could be made within 200 ms.',
      ...TIMING,
    })
  })

  test('a receiver that drips its TLS handshake times out, and its connection is closed', async () => {
    let closed = false
    const receiver = await openTcpReceiver((socket) => {
      // The beginning of a ServerHello in a record that takes minutes to complete.
      socket.write(Buffer.from('160303' + '3fff' + '02003ff0', 'hex'))
      drip(socket, '\0')
      socket.once('close', () => {
        closed = true
      })
    })
    const outcome = await post(openSender({ connectTimeoutMs }), receiver)
    expect(outcome).toMatchObject({ kind: 'timed-out', phase: 'connect' })
    await poll(() => closed)
  })

  test('a name that is never resolved times out', async () => {
    const receiver = await openReceiver()
    const lookup = () => new Promise<never>(() => {})
    const outcome = await post(openSender({ connectTimeoutMs, lookup }), receiver)
    expect(outcome).toMatchObject({ kind: 'timed-out', phase: 'connect', afterMs: 200 })
  })
})

describe('within the acknowledge timeout', () => {
  const acknowledgeTimeoutMs = 200

  test.each([
    ['sends nothing', () => {}],
    [
      'drips its head',
      (socket: net.Socket) => {
        socket.write('HTTP/1.1 200 OK\r\nx-slow: ')
        drip(socket, 'a')
      },
    ],
    [
      'pours a status line without end',
      (socket: net.Socket) => {
        socket.write('HTTP/1.1 200 ')
        pour(socket, 'OK'.repeat(1_000))
      },
    ],
    [
      'drips interim responses',
      (socket: net.Socket) => drip(socket, 'HTTP/1.1 102 Processing\r\n\r\n'),
    ],
  ])('a receiver that %s times out, and its connection is closed', async (_what, answer) => {
    const receiver = await openReceiver(answer)
    const outcome = await post(openSender({ acknowledgeTimeoutMs }), receiver)
    expect(outcome).toEqual({
      kind: 'timed-out',
      phase: 'response',
      afterMs: 200,
      reason: 'The receiver did not answer within 200 ms of the request.',
      ...TIMING,
    })
    if (outcome.kind === 'timed-out') expect(outcome.durationMs).toBeGreaterThanOrEqual(200)
    await poll(() => receiver.openConnections === 0)
  })

  test('the timeout can be set for one request', async () => {
    const receiver = await openReceiver(() => {})
    const outcome = await post(openSender(), receiver, { acknowledgeTimeoutMs: 100 })
    expect(outcome).toMatchObject({ kind: 'timed-out', phase: 'response', afterMs: 100 })
  })

  test('the time for connecting does not count towards the acknowledge timeout', async () => {
    const receiver = await openReceiver((socket) => setTimeout(() => socket.write(OK), 250))
    const lookup = async () => {
      await new Promise((resolve) => setTimeout(resolve, 800))
      return [LOOPBACK]
    }
    const outcome = await post(openSender({ acknowledgeTimeoutMs: 1_000, lookup }), receiver)
    assertAnswered(outcome)
    expect(outcome.firstByteMs).toBeGreaterThanOrEqual(1_040)
  })

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
  test('a body that drips without end is cut off after the body timeout', async () => {
    const receiver = await openReceiver((socket) => {
      socket.write('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n')
      drip(socket, '1\r\na\r\n')
    })
    const stopwatch = startStopwatch()
    const outcome = await post(openSender({ bodyTimeoutMs: 200 }), receiver)
    assertAnswered(outcome)
    expect(stopwatch.readMs()).toBeLessThan(1_000)
    expect(outcome).toMatchObject({ status: 200, bodyTruncated: true })
    expect(outcome.body.toString()).toMatch(/^a+$/)
    expect(outcome.durationMs).toBeGreaterThanOrEqual(200)
    await poll(() => receiver.openConnections === 0)
  })

  test.each([
    ['with a length', 'content-length: 1000000000\r\n\r\n', 'x'.repeat(10_000)],
    ['in chunks', 'transfer-encoding: chunked\r\n\r\n', `2710\r\n${'x'.repeat(10_000)}\r\n`],
    ['until the connection ends', '\r\n', 'x'.repeat(10_000)],
  ])('a huge body, %s, is cut off', async (_how, rest, piece) => {
    let sentBytes = 0
    const receiver = await openReceiver((socket) => {
      socket.write(`HTTP/1.1 200 OK\r\n${rest}`)
      pour(socket, piece)
      socket.once('close', () => {
        sentBytes = socket.bytesWritten
      })
    })
    const outcome = await post(openSender(), receiver)
    assertAnswered(outcome)
    expect(outcome).toMatchObject({ status: 200, bodyTruncated: true })
    expect(outcome.body.equals(Buffer.alloc(16 * KIB, 'x'))).toBe(true)
    // The TLS socket closes after the TCP socket below it.
    await poll(() => receiver.openConnections === 0 && sentBytes > 0)
    expect(sentBytes).toBeGreaterThan(64 * KIB)
  })

  test.each([16 * KIB, 16 * KIB + 1, 64 * KIB])('%i bytes are read in full', async (length) => {
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

  test('a body of nearly nothing but chunk extensions is cut off after the body timeout', async () => {
    const receiver = await openReceiver((socket) => {
      socket.write('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n1;')
      pour(socket, 'extension='.repeat(1_000))
    })
    const outcome = await post(openSender({ bodyTimeoutMs: 200 }), receiver)
    expect(outcome).toMatchObject({ kind: 'answered', status: 200, bodyTruncated: true })
    await poll(() => receiver.openConnections === 0)
  })

  test.each([
    ['is shorter than it says', 'content-length: 100\r\n\r\nhello', 'end'],
    ['is reset', 'content-length: 100\r\n\r\nhello', 'resetAndDestroy'],
    [
      'is not the chunks it says',
      'transfer-encoding: chunked\r\n\r\n5\r\nhello\r\nnonsense\r\n',
      'end',
    ],
  ] as const)('a body that %s', async (_what, rest, ending) => {
    const receiver = await openReceiver((socket) => {
      socket.write(`HTTP/1.1 200 OK\r\n${rest}`)
      setTimeout(() => (ending === 'end' ? socket.end() : socket.destroy()), 50)
    })
    const outcome = await post(openSender(), receiver)
    assertAnswered(outcome)
    expect(outcome).toMatchObject({ status: 200, bodyTruncated: true })
    expect(outcome.body.toString()).toBe('hello')
  })

  test('bytes beyond the content-length do not become the next response', async () => {
    const receiver = await openReceiver((socket, { connection }) => {
      const extra = connection === 1 ? 'HTTP/1.1 500 Smuggled\r\ncontent-length: 0\r\n\r\n' : ''
      socket.write(`${OK}${extra}`)
    })
    const sender = openSender()
    for (const _ of [1, 2, 3]) expect(await post(sender, receiver)).toMatchObject({ status: 200 })
  })
})

test('a receiver that uses every timeout fully takes no longer than all of them together', async () => {
  const receiver = await openReceiver((socket) => {
    setTimeout(() => {
      socket.write('HTTP/1.1 200 OK\r\ncontent-length: 1000000\r\n\r\n')
      drip(socket, 'a')
    }, 300)
  })
  const lookup = async () => {
    await new Promise((resolve) => setTimeout(resolve, 300))
    return [LOOPBACK]
  }
  const limits = { connectTimeoutMs: 1_000, acknowledgeTimeoutMs: 1_000, bodyTimeoutMs: 1_000 }
  const stopwatch = startStopwatch()
  const outcome = await post(openSender({ ...limits, lookup }), receiver)
  assertAnswered(outcome)
  expect(stopwatch.readMs()).toBeLessThan(3_000)
  expect(outcome).toMatchObject({ status: 200, bodyTruncated: true })
  expect(outcome.firstByteMs).toBeGreaterThanOrEqual(590)
})

describe('an unreadable response head is a failure:', () => {
  test.each([
    ['has headers without end', 'x-a: '],
    ['has one endless header', 'x'],
  ])('a head that %s', async (_what, piece) => {
    const receiver = await openReceiver((socket) => {
      socket.write('HTTP/1.1 200 OK\r\n')
      pour(socket, piece === 'x' ? 'x'.repeat(1_000) : `x-a: ${'b'.repeat(1_000)}\r\n`)
    })
    const outcome = await post(openSender(), receiver)
    expect(outcome).toMatchObject({
      kind: 'unreachable',
      code: 'head_too_large',
      reason: "The response's status line and headers were too large.",
    })
  })

  test.each([['interim responses without end', '', 'HTTP/1.1 102 Processing\r\n\r\n'.repeat(100)]])(
    '%s',
    async (_what, beginning, piece) => {
      const receiver = await openReceiver((socket) => {
        socket.write(beginning)
        pour(socket, piece)
      })
      const outcome = await post(openSender(), receiver)
      expect(outcome).toMatchObject({ kind: 'unreachable', code: 'head_too_large' })
    },
  )

  test('headers of 15 KiB are accepted', async () => {
    const receiver = await openReceiver((socket) => {
      socket.write(
        `HTTP/1.1 200 OK\r\nx-large: ${'x'.repeat(15 * KIB)}\r\ncontent-length: 0\r\n\r\n`,
      )
    })
    expect(await post(openSender(), receiver)).toMatchObject({ kind: 'answered', status: 200 })
  })

  test.each([
    ['not HTTP', 'SSH-2.0-OpenSSH_9.9\r\n'],
    ['HTTP/2', 'HTTP/2 200\r\n\r\n'],
    ['an unrequested 100 Continue', 'HTTP/1.1 100 Continue\r\n\r\n'],
    ['two lengths', 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\ncontent-length: 3\r\n\r\nok'],
    [
      'an unrequested upgrade',
      'HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n',
    ],
  ])('%s', async (_what, text) => {
    const receiver = await openReceiver((socket) => socket.write(text))
    const outcome = await post(openSender(), receiver)
    expect(outcome).toMatchObject({
      kind: 'unreachable',
      code: 'invalid_http',
    })
  })

  test.each([
    ['before the head', ''],
    ['in the middle of the head', 'HTTP/1.1 200 OK\r\nx-a'],
  ])('a connection that is closed %s', async (_when, text) => {
    const receiver = await openReceiver((socket) => socket.end(text))
    const outcome = await post(openSender(), receiver)
    expect(outcome).toMatchObject({ kind: 'unreachable', code: 'closed_early' })
  })

  test('a connection that is reset in the middle of the head', async () => {
    const receiver = await openTlsResettingReceiver()
    const outcome = await post(openSender(), receiver)
    expect(outcome).toMatchObject({ kind: 'unreachable' })
    if (outcome.kind === 'unreachable')
      expect(outcome.code).toMatch(/connection_reset|closed_early/)
  })
})

/** A TLS socket cannot be reset; the TCP socket below it can. */
async function openTlsResettingReceiver() {
  const receiver = await openReceiver((socket) => socket.write('HTTP/1.1 200 OK\r\nx-a'))
  const below = new Set<net.Socket>()
  const relay = await openTcpReceiver((socket) => {
    const inner = net.connect(receiver.port, '127.0.0.1').on('error', () => {})
    below.add(socket)
    socket.pipe(inner)
    inner.pipe(socket)
  })
  const reset = setInterval(() => {
    if (receiver.requests.length > 0) for (const socket of below) socket.resetAndDestroy()
  }, 10)
  onTestFinished(() => clearInterval(reset))
  return relay
}
