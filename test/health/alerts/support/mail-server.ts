import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { SMTPServer, type SMTPServerOptions } from 'smtp-server'

export interface MailServer extends AsyncDisposable {
  readonly port: number
  /** The mails as they came. */
  readonly mails: readonly string[]
  /** Whether each mail came over TLS. */
  readonly secure: readonly boolean[]
  /** The answer to a recipient. Default: null, accepted. */
  reject: { readonly code: number; readonly text: string } | null
  /** Forgets the mails, and accepts every recipient. */
  clear(): void
}

/** A real SMTP server on this machine. */
export async function startMailServer(options: SMTPServerOptions, port = 0): Promise<MailServer> {
  const mails: string[] = []
  const secure: boolean[] = []
  const server = new SMTPServer({
    authOptional: true,
    ...options,
    onRcptTo(_address, _session, callback) {
      const { reject } = opened
      callback(reject && Object.assign(new Error(reject.text), { responseCode: reject.code }))
    },
    async onData(stream, session, callback) {
      mails.push((await text(stream)).replaceAll('=\r\n', ''))
      secure.push(session.secure)
      callback()
    },
  })
  // A client that gives up.
  server.on('error', () => {})
  server.listen(port, '127.0.0.1')
  await once(server.server, 'listening')
  const opened: MailServer = {
    port: (server.server.address() as AddressInfo).port,
    mails,
    secure,
    reject: null,
    clear() {
      mails.length = 0
      secure.length = 0
      opened.reject = null
    },
    [Symbol.asyncDispose]: () => new Promise((resolve) => server.close(() => resolve())),
  }
  return opened
}
