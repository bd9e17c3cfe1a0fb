import { connect } from 'node:net'
import { expect, test } from 'vitest'
import { useTestApp } from '../support/app.ts'
import { startStopwatch } from '../support/stopwatch.ts'

const posthorn = await useTestApp({ role: 'api' })

/** Sends raw bytes and returns the response when the server closes the connection. */
async function sendRaw(text: string): Promise<{ status: number; head: string; body: string }> {
  const { hostname, port } = new URL(posthorn.app.url)
  const answer = await new Promise<string>((resolve) => {
    let received = ''
    const socket = connect(Number(port), hostname, () => socket.write(text))
    socket.on('data', (chunk) => {
      received += chunk
    })
    socket.on('error', () => {})
    socket.on('close', () => resolve(received))
  })
  const [head = '', body = ''] = answer.split('\r\n\r\n')
  return { status: Number(/^HTTP\/1\.1 (\d+)/.exec(head)?.[1]), head, body }
}

const PATH = '/api/connect/v1/webhooks'

test.each([
  [
    'headers of more than 32 KiB',
    `GET / HTTP/1.1\r\nHost: x\r\nX: ${'x'.repeat(33_000)}\r\n\r\n`,
    431,
  ],
  ['bytes that are not HTTP', 'hello\r\n\r\n', 400],
  [
    'two lengths',
    'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab',
    400,
  ],
  [
    'a length and chunked encoding',
    'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n',
    400,
  ],
])('%s are rejected with a problem, and the connection is closed', async (_, text, expected) => {
  const { status, head, body } = await sendRaw(text)
  expect(status).toBe(expected)
  expect(head).toContain('application/problem+json')
  expect(JSON.parse(body)).toMatchObject({ status: expected, detail: expect.stringMatching(/./) })
})

test('smaller headers are accepted', async () => {
  const headers = {
    'x-padding': 'x'.repeat(20_000),
    authorization: `Bearer ${posthorn.tenant.token}`,
  }
  expect((await fetch(posthorn.app.url + PATH, { headers })).status).toBe(200)
})

test.each(['/graphql?query=', `${PATH}?limit=`, '/nothing/'])(
  'a URL of more than 16,384 characters, %s…, is rejected with a problem, but a shorter one is accepted',
  async (path) => {
    const long = await fetch(posthorn.app.url + path + 'x'.repeat(16_384))
    expect(long.status).toBe(414)
    expect(await long.json()).toMatchObject({ type: 'urn:posthorn:problem:url-too-long' })
    const shorter = await fetch(posthorn.app.url + path + 'x'.repeat(16_000))
    expect(shorter.status).not.toBe(414)
  },
)

test.each([
  ['headers', `GET ${PATH} HTTP/1.1\r\nHost: x\r\nX-`, 10_000],
  [
    'body',
    'POST /graphql HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n{',
    30_000,
  ],
])(
  'a client that does not finish its %s gets 408 in time, and its connection is closed',
  { concurrent: true },
  async (_, text, withinMs) => {
    const startedAt = performance.now()
    const stopwatch = startStopwatch()
    const { status, body } = await sendRaw(text)
    const tookMs = performance.now() - startedAt
    expect(status).toBe(408)
    expect(JSON.parse(body)).toMatchObject({ type: 'urn:posthorn:problem:timed-out' })
    expect(tookMs).toBeGreaterThan(withinMs - 1_500)
    expect(stopwatch.readMs()).toBeLessThan(withinMs + 8_000)
  },
)
