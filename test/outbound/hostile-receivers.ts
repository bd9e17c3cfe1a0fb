import type * as net from 'node:net'
import type * as tls from 'node:tls'
import { gzipSync } from 'node:zlib'
import { openTcpReceiver, openTlsReceiver } from './raw-receivers.ts'
import { authority, certificate, openReceiver } from './sending.ts'
import type { Answer } from './tls-receiver.ts'

/** A misbehaving receiver and the attempt that it causes. */
export interface Misbehaviour {
  readonly name: string
  open(): Promise<{ readonly port: number; readonly openConnections?: number }>
  /** Null if there is no valid response. */
  readonly status: number | null
  readonly errorCode: string | null
  readonly error: string | RegExp | null
}

const NAMES = ['receiver.test', 'localhost', '127.0.0.1']
/** Without this, OpenSSL serves no old protocols or weak keys. */
const OLD_CIPHERS = 'DEFAULT@SECLEVEL=0'
const HEAD = 'HTTP/1.1 200 OK\r\n'
const KIB = 1024

/** What the attempt says, by its code. */
const ERRORS = {
  certificate_invalid: "The receiver's certificate could not be verified.",
  client_certificate_demanded:
    'The receiver requires a client certificate, and Posthorn has none (TLS alert certificate_required).',
  closed_early: 'The receiver closed the connection before it answered.',
  connect_timed_out: 'No TLS connection could be made within 5 s.',
  connection_reset: 'The connection was reset before a response.',
  head_too_large: "The response's status line and headers were too large.",
  // The parser says the rest.
  invalid_http: /^The response was not valid HTTP\/1\.1\. The parser reports: ".+"\.$/,
  response_timed_out: 'The receiver did not answer the request within 3 s.',
}
type Code = keyof typeof ERRORS

export const MISBEHAVIOURS: readonly Misbehaviour[] = [
  // Before the TLS handshake is complete.
  unreachable(
    'accepts the connection and sends nothing',
    tcp(() => {}),
    'connect_timed_out',
  ),
  unreachable('drips its TLS handshake', tcp(dripHandshake), 'connect_timed_out'),
  unreachable(
    'resets immediately',
    tcp((socket) => socket.resetAndDestroy()),
    'connection_reset',
  ),

  // TLS versions and certificates.
  unreachable(
    'requires a client certificate',
    openTlsReceiver({ ...certificate, requestCert: true, rejectUnauthorized: true }),
    'client_certificate_demanded',
  ),
  unreachable('shows a certificate with a weak key', openWeakReceiver, 'certificate_invalid'),

  // Before the response head is complete.
  unanswered('sends nothing', () => {}, 'response_timed_out'),
  unanswered('drips its head', dripHead, 'response_timed_out'),
  endless('interim responses', '', 'HTTP/1.1 102 Processing\r\n\r\n'.repeat(100)),
  endless('one header', HEAD, 'x'.repeat(1_000)),
  unanswered('closes within the head', (socket) => socket.end(`${HEAD}x-a`), 'closed_early'),
  unreachable(
    'resets before the head',
    openTlsReceiver(certificate, (_socket, below) => below.resetAndDestroy()),
    'connection_reset',
  ),
  unreachable('resets within the head', resetAfter(`${HEAD}x-a`), 'connection_reset'),

  // Invalid response heads.
  invalid('has a NUL in a header', `${HEAD}x-a: b\0c\r\ncontent-length: 0\r\n\r\n`),
  {
    ...invalid('drips 100 Continue', ''),
    open: () => openReceiver((socket) => drip(socket, 'HTTP/1.1 100 Continue\r\n\r\n')),
    error: 'The response was not valid HTTP/1.1.',
  },

  // The response head decides, even if the body fails.
  answered('drips its body without end', (socket) => {
    socket.write(`${HEAD}transfer-encoding: chunked\r\n\r\n`)
    drip(socket, '1\r\na\r\n')
  }),
  answered(
    'pours a body with a content-length',
    poured('content-length: 1000000000\r\n\r\n', 'x'.repeat(10_000)),
  ),
  answered('pours until the connection is closed', poured('\r\n', 'x'.repeat(10_000))),
  answered(
    'pours a chunk extension',
    poured('transfer-encoding: chunked\r\n\r\n1;', 'a=b'.repeat(1_000)),
  ),
  answered('sends a gzip bomb', (socket) => {
    socket.write(`${HEAD}content-encoding: gzip\r\ncontent-length: ${BOMB.length}\r\n\r\n`)
    socket.write(BOMB)
  }),
  answered('ends short of its length', (socket) =>
    socket.end(`${HEAD}content-length: 100\r\n\r\nhello`),
  ),
  answered('sends invalid chunks', (socket) => {
    socket.write(`${HEAD}transfer-encoding: chunked\r\n\r\n5\r\nhello\r\nzzz\r\n`)
  }),
  {
    ...answered('resets its body', () => {}),
    open: resetAfter(`${HEAD}content-length: 100\r\n\r\nhello`),
  },
]

/** 20 MiB, compressed to slightly more bytes than the sender keeps. */
const BOMB = gzipSync(Buffer.alloc(20 * KIB * KIB), { level: 9 })

function unreachable(name: string, open: Misbehaviour['open'], errorCode: Code): Misbehaviour {
  return { name, open, status: null, errorCode, error: ERRORS[errorCode] }
}

function unanswered(name: string, answer: Answer, errorCode: Code): Misbehaviour {
  return unreachable(name, () => openReceiver(answer), errorCode)
}

function endless(what: string, beginning: string, piece: string): Misbehaviour {
  const answer: Answer = (socket) => {
    socket.write(beginning)
    pour(socket, piece)
  }
  return unanswered(`pours ${what} without end`, answer, 'head_too_large')
}

function invalid(name: string, text: string): Misbehaviour {
  return unanswered(name, (socket) => socket.write(text, 'latin1'), 'invalid_http')
}

async function openWeakReceiver(): Promise<{ port: number }> {
  const identity = await authority.issue(NAMES, { hasWeakKey: true })
  return await openTlsReceiver({ ...identity, ciphers: OLD_CIPHERS })()
}

/** Writes the beginning of an answer, and then resets the connection. */
function resetAfter(beginning: string): Misbehaviour['open'] {
  return openTlsReceiver(certificate, (socket, below) => {
    socket.write(beginning, () => setTimeout(() => below.resetAndDestroy(), 50))
  })
}

function answered(name: string, answer: Answer): Misbehaviour {
  const open = () => openReceiver(answer)
  return { name, open, status: 200, errorCode: null, error: null }
}

function poured(rest: string, piece: string): Answer {
  return (socket) => {
    socket.write(HEAD + rest)
    pour(socket, piece)
  }
}

function tcp(onConnection: (socket: net.Socket) => void): Misbehaviour['open'] {
  return () => openTcpReceiver(onConnection)
}

/** The beginning of a ServerHello in a record that takes minutes to complete. */
function dripHandshake(socket: net.Socket): void {
  socket.write(Buffer.from('160303' + '3fff' + '02003ff0', 'hex'))
  drip(socket, '\0')
}

function dripHead(socket: net.Socket): void {
  socket.write(`${HEAD}x-slow: `)
  drip(socket, 'a')
}

/** Writes `piece` repeatedly, as fast as the socket accepts it. */
function pour(socket: net.Socket, piece: string): void {
  const write = () => {
    while (socket.writable && socket.write(piece)) {}
  }
  socket.on('drain', write)
  write()
}

/** Writes `piece` 50 times per second. */
function drip(socket: net.Socket | tls.TLSSocket, piece: string): void {
  const timer = setInterval(() => socket.write(piece), 20)
  socket.once('close', () => clearInterval(timer))
}
