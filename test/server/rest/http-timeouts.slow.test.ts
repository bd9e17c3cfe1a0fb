import { expect, test } from 'vitest'
import { useTestApp } from '../../support/app.ts'
import { sendRaw } from './support/send-raw.ts'

/* They wait for the timeouts of the server, of 10 and 30 seconds. */

const { app, tenant } = await useTestApp({ role: 'api' })

test.each([
  ['headers', 'GET /api/connect/v1/webhooks HTTP/1.1\r\nHost: x\r\nX-'],
  [
    'body',
    `POST /graphql HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${tenant.token}\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n{`,
  ],
])(
  'a client that does not finish its %s gets 408, and its connection is closed',
  { concurrent: true },
  async (_, text) => {
    expect(await sendRaw(app.url, text)).toBe(408)
  },
)
