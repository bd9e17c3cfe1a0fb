import type { Socket } from 'node:net'
import { errors } from 'undici'

/** How the connection ended that undici reports an error for. */
export interface ConnectionEnd {
  /** The first error on the socket. After a TLS alert the connection ends, and undici reports only that end. */
  readonly cause: Error
  /** The connection had received data before. */
  readonly wasUsed: boolean
  /** undici closed the connection because it received data that is not a response to a request. */
  readonly isInvalidHttp: boolean
}

const ends = new WeakMap<Error, ConnectionEnd>()

export function connectionEndOf(error: Error): ConnectionEnd | undefined {
  return ends.get(error)
}

/** Call before undici gets the socket. `onInvalidHttp` learns whether a request had been sent by then. */
export function watchConnectionEnd(
  socket: Socket,
  onInvalidHttp: (requestWasSent: boolean) => void,
): void {
  let cause: Error | null = null
  socket.on('error', (error) => {
    cause ??= error
    const isInvalidHttp = isUndiciSocketError(error) && !socket.readableEnded
    ends.set(error, { cause, wasUsed: socket.bytesRead > 0, isInvalidHttp })
    if (isInvalidHttp) onInvalidHttp(socket.bytesWritten > 0)
  })
}

/** undici also throws a `SocketError` when the receiver closes the connection; `readableEnded` tells the two apart. */
function isUndiciSocketError(error: Error): boolean {
  return error instanceof errors.HTTPParserError || error instanceof errors.SocketError
}
