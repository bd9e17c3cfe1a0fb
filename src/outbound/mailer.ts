import tls from 'node:tls'
import { createTransport } from 'nodemailer'
import type { SendMail } from './mail.ts'

export interface MailerOptions {
  readonly url: string
  readonly from: string
  /** Certificate authorities to trust besides Node's. */
  readonly caPem: readonly string[]
  readonly timeoutMs?: number
}

const TIMEOUT_MS = 10_000

/** Sends mails by the operator's own server. So the guard of addresses, which is for the URLs of users, does not apply. */
export function createMailer({
  url,
  from,
  caPem,
  timeoutMs = TIMEOUT_MS,
}: MailerOptions): SendMail {
  const transport = createTransport({
    url,
    connectionTimeout: timeoutMs,
    greetingTimeout: timeoutMs,
    socketTimeout: timeoutMs,
    dnsTimeout: timeoutMs,
    disableFileAccess: true,
    disableUrlAccess: true,
    ...(caPem.length > 0 && { tls: { ca: [...tls.getCACertificates('default'), ...caPem] } }),
  })
  return async ({ unsubscribeUrl, ...mail }) => {
    try {
      await transport.sendMail({
        ...mail,
        from,
        headers: {
          'Auto-Submitted': 'auto-generated',
          'List-Unsubscribe': `<${unsubscribeUrl}>`,
          'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
        },
      })
      return { kind: 'sent' }
    } catch (error) {
      const answer = rejectionOf(error)
      // Without its cause: a mail server that refuses connections is not a Postgres that does.
      if (answer === null) {
        throw new Error(`The mail server did not take a mail: ${(error as Error).message}`)
      }
      return { kind: 'rejected', answer }
    }
  }
}

/** What the server answered if it rejects the recipient for good. A rejected sender or login is no fault of the address. */
function rejectionOf(error: unknown): string | null {
  const { code, command, responseCode = 0, response } = error as SmtpError
  const isPermanent = code === 'EENVELOPE' && command === 'RCPT TO' && responseCode >= 500
  return isPermanent ? (response ?? String(responseCode)) : null
}

interface SmtpError {
  readonly code?: string
  readonly command?: string
  readonly responseCode?: number
  readonly response?: string
}
