import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { plainAddress } from '../http/connection.ts'
import { MAX_CONNECTIONS_PER_ADDRESS, MAX_PIPELINED_REQUESTS } from '../http/http-limits.ts'
import { networkOf } from '../lib/address-network.ts'
import { createRangeCheck } from '../outbound/address-range.ts'
import type { Logger } from '../telemetry/logger.ts'
import type { RequestMetrics } from '../telemetry/request-metrics.ts'

export interface ConnectionLimits {
  /** The address ranges of connections that many clients share. They have no limit. */
  readonly exempt: readonly string[]
  readonly logger: Pick<Logger, 'warn'>
  readonly metrics?: Pick<RequestMetrics, 'limited'>
  readonly maxPerAddress?: number
}

/** A proxy on the same machine. Strangers cannot connect from these ranges. */
export const LOOPBACK = ['127.0.0.0/8', '::1/128']

/** Keeps one client from using all connections, or the memory for responses that it does not read. */
export function limitConnections(server: Server, limits: ConnectionLimits): void {
  limitPerAddress(server, limits)
  limitPipelining(server, limits)
}

function limitPerAddress(
  server: Server,
  { exempt, logger, metrics, maxPerAddress = MAX_CONNECTIONS_PER_ADDRESS }: ConnectionLimits,
): void {
  const isExempt = createRangeCheck(exempt)
  const open = new Map<string, number>()
  const warn = createWarning(logger)

  server.on('connection', (socket: Socket) => {
    const address = plainAddress(socket.remoteAddress ?? '')
    if (isExempt(address)) return
    const network = networkOf(address)
    const count = open.get(network) ?? 0
    if (count >= maxPerAddress) {
      socket.destroy()
      warn(address, maxPerAddress)
      metrics?.limited('connections')
      return
    }
    open.set(network, count + 1)
    socket.once('close', () => {
      const left = (open.get(network) as number) - 1
      if (left === 0) open.delete(network)
      else open.set(network, left)
    })
  })
}

const WARN_EVERY_MS = 60_000

function createWarning(logger: Pick<Logger, 'warn'>) {
  let lastAtMs = Number.NEGATIVE_INFINITY
  return (address: string, limit: number) => {
    if (performance.now() - lastAtMs < WARN_EVERY_MS) return
    lastAtMs = performance.now()
    logger.warn(
      { event: 'connections.rejected', address, limit },
      `closed a connection: ${address} has ${limit} open; if this is a proxy of yours, add it to POSTHORN_TRUSTED_PROXIES`,
    )
  }
}

/** Node reads further requests of a connection while their responses wait for the client to read. */
function limitPipelining(server: Server, { metrics }: ConnectionLimits): void {
  const pending = new WeakMap<Socket, number>()
  server.prependListener('request', ({ socket }: IncomingMessage, response: ServerResponse) => {
    const count = (pending.get(socket) ?? 0) + 1
    pending.set(socket, count)
    response.once('close', () => pending.set(socket, (pending.get(socket) as number) - 1))
    if (count <= MAX_PIPELINED_REQUESTS || socket.destroyed) return
    socket.destroy()
    metrics?.limited('pipelining')
  })
}
