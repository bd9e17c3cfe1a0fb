import { expect, test } from 'vitest'
import { useTestApp } from '../../support/app.ts'
import { sendRaw } from './support/send-raw.ts'

const posthorn = await useTestApp({ role: 'api' })

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
])('%s are rejected, and the connection is closed', async (_, text, expected) => {
  expect(await sendRaw(posthorn.app.url, text)).toBe(expected)
})

test('smaller headers are accepted', async () => {
  const headers = {
    'x-padding': 'x'.repeat(20_000),
    authorization: `Bearer ${posthorn.tenant.token}`,
  }
  expect((await fetch(posthorn.app.url + PATH, { headers })).status).toBe(200)
})
