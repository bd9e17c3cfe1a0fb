import { fork } from 'node:child_process'
import { once } from 'node:events'
import * as net from 'node:net'
import * as tls from 'node:tls'
import { fileURLToPath } from 'node:url'
import { onTestFinished } from 'vitest'
import { freePort } from '../support/free-port.ts'
import { listen as listenAt } from '../support/listen.ts'

/** A TCP server whose connections the test handles. Closed at the end of the test. */
export async function openTcpReceiver(
  onConnection: (socket: net.Socket) => void,
): Promise<{ port: number }> {
  const { port } = await listenInTest(net.createServer(onConnection))
  return { port }
}

/** A TLS server. `answer` gets the TLS socket and its TCP socket when a request begins, `greet` before that. */
export function openTlsReceiver(
  options: tls.TlsOptions,
  answer: (socket: tls.TLSSocket, below: net.Socket) => void = () => {},
  greet: (socket: tls.TLSSocket) => void = () => {},
): (at?: Parameters<typeof listenAt>[1]) => Promise<{ port: number }> {
  return async (at) => {
    const below = new Map<string, net.Socket>()
    const server = tls.createServer(options, (socket) => {
      const under = below.get(nameOf(socket))
      socket.on('error', () => {}).once('data', () => answer(socket, under as net.Socket))
      greet(socket)
    })
    server.on('tlsClientError', () => {})
    server.on('connection', (socket: net.Socket) => below.set(nameOf(socket), socket))
    const { port } = await listenInTest(server, at)
    return { port }
  }
}

function nameOf({ remotePort }: net.Socket): string {
  return String(remotePort)
}

/** Its queue of connections is full, so the system drops requests for further ones. */
export async function openFullReceiver({
  host = '127.0.0.1',
  port: wanted = 0,
} = {}): Promise<{ port: number }> {
  const address = JSON.stringify({ host, port: wanted })
  const child = fork(fileURLToPath(new URL('accepts-no-main.ts', import.meta.url)), [address], {
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
  return { port }
}

/** A port on which nothing listens. */
export async function vacantPort(): Promise<{ port: number }> {
  return { port: await freePort() }
}

/** Listens until the end of the test, which closes the connections, too. */
export async function listenInTest(server: net.Server, at?: Parameters<typeof listenAt>[1]) {
  const sockets = new Set<net.Socket>()
  server.on('connection', (socket: net.Socket) => {
    sockets.add(socket.on('error', () => {}).once('close', () => sockets.delete(socket)))
  })
  const port = await listenAt(server, at)
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  return { port, sockets }
}
