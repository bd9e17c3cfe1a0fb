import { expect, test } from 'vitest'
import type { Failed } from '../../src/outbound/outcome.ts'
import { openTcpReceiver } from './raw-receivers.ts'
import { openSender, post } from './sending.ts'

/** Alerts of RFC 8446, section 6, and of the earlier versions of TLS: some for each code of an attempt. */
const ALERTS = [
  [40, 'handshake_failure', 'tls_failed'],
  [42, 'bad_certificate', 'client_certificate_demanded'],
  [48, 'unknown_ca', 'client_certificate_demanded'],
  [70, 'protocol_version', 'tls_version_refused'],
  [80, 'internal_error', 'tls_failed'],
  [86, 'inappropriate_fallback', 'tls_version_refused'],
  // OpenSSL spells it with two l.
  [90, 'user_cancelled', 'tls_failed'],
  [112, 'unrecognized_name', 'tls_name_unknown'],
  [116, 'certificate_required', 'client_certificate_demanded'],
  [120, 'no_application_protocol', 'http_version_refused'],
] as const

test.each(ALERTS)(
  'a receiver that ends the TLS handshake with the alert %i, %s: the attempt fails as %s and names the alert',
  async (number, name, code) => {
    const receiver = await openTcpReceiver((socket) => {
      // A record of TLS 1.2 with a fatal alert.
      const record = Buffer.from([21, 3, 3, 0, 2, 2, number])
      socket.once('data', () => socket.end(record))
    })
    const outcome = await post(openSender(), receiver)
    expect(outcome).toMatchObject({
      kind: 'failed',
      code,
      reason: expect.stringMatching(new RegExp(`^[A-Z].+ \\(TLS alert ${name}\\)\\.$`)),
    })
    const { reason } = outcome as Failed
    expect(reason.includes('TLS 1.2 or later')).toBe(code === 'tls_version_refused')
  },
)

test.each([
  ['plain HTTP', 'HTTP/1.1 400 Bad Request\r\n\r\n'],
  ['SMTP', '220 mail.example.com ESMTP\r\n'],
])('a receiver that speaks %s does not speak TLS', async (_what, text) => {
  const receiver = await openTcpReceiver((socket) => socket.once('data', () => socket.end(text)))
  expect(await post(openSender(), receiver)).toMatchObject({
    kind: 'failed',
    code: 'no_tls',
    reason: 'The receiver does not speak TLS on this port (ERR_SSL_WRONG_VERSION_NUMBER).',
  })
})
