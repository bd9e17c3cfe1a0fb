import type { Socket } from 'node:net'
import { errors } from 'undici'

/** How a connection ended, by the error that undici reports. */
export interface ConnectionEnd {
  /** The first error: after an alert of TLS comes the end of the connection, which undici reports in its place. */
  readonly cause: Error
  /** It had carried an answer before, or a part of one. */
  readonly wasUsed: boolean
  /** undici closed it, as what had come was no answer to a request. */
  readonly isInvalid: boolean
}

const ends = new WeakMap<Error, ConnectionEnd>()

export function connectionEndOf(error: Error): ConnectionEnd | undefined {
  return ends.get(error)
}

/** To be called before undici has the socket. `onInvalid` is told whether a request had been sent by then. */
export function watchEnd(socket: Socket, onInvalid: (wasAsked: boolean) => void): void {
  let cause: Error | null = null
  socket.on('error', (error) => {
    cause ??= error
    const isInvalid = refusesResponse(error) && !socket.readableEnded
    ends.set(error, { cause, wasUsed: socket.bytesRead > 0, isInvalid })
    if (isInvalid) onInvalid(socket.bytesWritten > 0)
  })
}

/** A `SocketError` of undici also says that the receiver has closed the connection. */
function refusesResponse(error: Error): boolean {
  return error instanceof errors.HTTPParserError || error instanceof errors.SocketError
}
