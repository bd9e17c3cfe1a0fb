import { fork } from 'node:child_process'
import { once } from 'node:events'
import * as net from 'node:net'
import * as tls from 'node:tls'
import { fileURLToPath } from 'node:url'
import { onTestFinished } from 'vitest'
import { freePort } from '../support/free-port.ts'
import type { KeyAndCertificate } from './certificates.ts'

/** A TCP server whose connections the test handles. Closed at the end of the test. */
export async function openTcpReceiver(
  onConnection: (socket: net.Socket) => void,
): Promise<{ port: number }> {
  return await listen(net.createServer(onConnection))
}

/** A TLS server. `answer` gets the TLS socket and its TCP socket when a request begins, `greet` before that. */
export function openTlsReceiver(
  options: tls.TlsOptions,
  answer: (socket: tls.TLSSocket, below: net.Socket) => void = () => {},
  greet: (socket: tls.TLSSocket) => void = () => {},
): () => Promise<{ port: number }> {
  return async () => {
    const below = new Map<string, net.Socket>()
    const server = tls.createServer(options, (socket) => {
      const under = below.get(nameOf(socket))
      socket.on('error', () => {}).once('data', () => answer(socket, under as net.Socket))
      greet(socket)
    })
    server.on('tlsClientError', () => {})
    server.on('connection', (socket: net.Socket) => below.set(nameOf(socket), socket))
    return await listen(server)
  }
}

function nameOf({ remotePort }: net.Socket): string {
  return String(remotePort)
}

/**
 * Its queue of connections is full, so the system drops requests for further ones, until `accept` is called. Then it is a TLS
 * receiver.
 */
export async function openFullReceiver(
  { key, cert }: Partial<KeyAndCertificate> = {},
  { host = '127.0.0.1', port: wanted = 0 } = {},
): Promise<{ port: number; accept(): void }> {
  const options = JSON.stringify({ key, cert, host, port: wanted })
  const child = fork(fileURLToPath(new URL('accepts-late-main.ts', import.meta.url)), [options], {
    stdio: ['pipe', 'inherit', 'inherit', 'ipc'],
  })
  onTestFinished(() => {
    child.kill('SIGKILL')
  })
  const [port] = (await once(child, 'message')) as [number]
  const fillers = Array.from({ length: 4 }, () => net.connect(port, host).on('error', () => {}))
  onTestFinished(() => {
    for (const filler of fillers) filler.destroy()
  })
  // The system drops what does not fit once the first two are in the queue.
  await Promise.all(fillers.slice(0, 2).map((filler) => once(filler, 'connect')))
  return { port, accept: () => void child.stdin?.write('\n') }
}

/** A port on which nothing listens. */
export async function vacantPort(): Promise<{ port: number }> {
  return { port: await freePort() }
}

async function listen(server: net.Server): Promise<{ port: number }> {
  const sockets = new Set<net.Socket>()
  server.on('connection', (socket: net.Socket) => {
    sockets.add(socket.on('error', () => {}).once('close', () => sockets.delete(socket)))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  return { port: (server.address() as net.AddressInfo).port }
}
