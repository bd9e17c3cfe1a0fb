import { connect } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestApp, type TestApp } from '../support/app.ts'

let posthorn: TestApp

beforeAll(async () => {
  posthorn = await startTestApp({ role: 'api' })
})
afterAll(() => posthorn[Symbol.asyncDispose]())

/** What the server says until it closes the connection. */
async function talk(text: string): Promise<{ status: number; head: string; body: string }> {
  const { hostname, port } = new URL(posthorn.app.url)
  const answer = await new Promise<string>((resolve) => {
    let heard = ''
    const socket = connect(Number(port), hostname, () => socket.write(text))
    socket.on('data', (chunk) => {
      heard += chunk
    })
    socket.on('error', () => {})
    socket.on('close', () => resolve(heard))
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
  ['what is no HTTP', 'hello\r\n\r\n', 400],
  [
    'two lengths',
    'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab',
    400,
  ],
  [
    'a length and chunks at once',
    'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n',
    400,
  ],
])('%s are refused with a problem, and the connection is closed', async (_, text, expected) => {
  const { status, head, body } = await talk(text)
  expect(status).toBe(expected)
  expect(head).toContain('application/problem+json')
  expect(JSON.parse(body)).toMatchObject({ status: expected, detail: expect.stringMatching(/./) })
})

test('headers of less are taken', async () => {
  const headers = {
    'x-padding': 'x'.repeat(20_000),
    authorization: `Bearer ${posthorn.tenant.token}`,
  }
  expect((await fetch(posthorn.app.url + PATH, { headers })).status).toBe(200)
})

test.each(['/graphql?query=', `${PATH}?limit=`, '/nothing/'])(
  'a URL of more than 16,384 characters, %s…, is refused with a problem; a shorter one is read',
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
    'a body',
    'POST /graphql HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n{',
    30_000,
  ],
])(
  'a client that does not finish its %s is told so and cut off in time',
  { timeout: 60_000 },
  async (_, text, withinMs) => {
    const begun = performance.now()
    const { status, body } = await talk(text)
    const tookMs = performance.now() - begun
    expect(status).toBe(408)
    expect(JSON.parse(body)).toMatchObject({ type: 'urn:posthorn:problem:timed-out' })
    expect(tookMs).toBeGreaterThan(withinMs - 1_500)
    expect(tookMs).toBeLessThan(withinMs + 8_000)
  },
)
