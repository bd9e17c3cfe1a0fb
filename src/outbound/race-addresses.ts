import type { LookupAddress } from 'node:dns'
import { connect, type Socket } from 'node:net'
import { ConnectTimeout, codeOf } from './failure.ts'

/**
 * Connects to the addresses of a name as RFC 8305 says: each attempt gets a head start, no attempt is given up for the
 * next one, and the first connection wins. Not by Node's `autoSelectFamily`, which gives up each address but the last.
 */
export function raceAddresses(
  addresses: readonly LookupAddress[],
  port: number,
  signal: AbortSignal,
): Promise<Socket> {
  const { promise, resolve, reject } = Promise.withResolvers<Socket>()
  const untried = alternateFamilies(addresses).values()
  const connecting = new Set<Socket>()
  const errors: Error[] = []
  let timer: NodeJS.Timeout | undefined

  function tryNext(): void {
    clearTimeout(timer)
    const { value, done } = untried.next()
    if (done) {
      if (connecting.size === 0) end(() => reject(mostTelling(errors)))
      return
    }
    const socket = connect({ host: value.address, port })
    connecting.add(socket)
    socket.once('connect', () => {
      connecting.delete(socket)
      socket.removeListener('error', onError)
      end(() => resolve(socket))
    })
    socket.on('error', onError)
    timer = setTimeout(tryNext, CONNECTION_ATTEMPT_DELAY_MS)

    function onError(error: Error): void {
      // Once it has ended, the sockets that lost are destroyed.
      if (!connecting.delete(socket)) return
      errors.push(error)
      tryNext()
    }
  }

  function end(settle: () => void): void {
    clearTimeout(timer)
    signal.removeEventListener('abort', abort)
    const lost = [...connecting]
    connecting.clear()
    for (const socket of lost) socket.destroy()
    settle()
  }

  function abort(): void {
    end(() => reject(signal.reason))
  }

  if (signal.aborted) abort()
  else {
    signal.addEventListener('abort', abort)
    tryNext()
  }
  return promise
}

/** RFC 8305, section 5: the recommended Connection Attempt Delay. */
const CONNECTION_ATTEMPT_DELAY_MS = 250

/** RFC 8305, section 4. IPv4 first: more receivers answer there, and many machines have an IPv6 that leads nowhere. */
function alternateFamilies(addresses: readonly LookupAddress[]): LookupAddress[] {
  const [ipv4, ipv6] = [4, 6].map((wanted) => addresses.filter(({ family }) => family === wanted))
  const longest = Math.max(ipv4?.length ?? 0, ipv6?.length ?? 0)
  return Array.from({ length: longest }, (_, i) => [ipv4?.[i], ipv6?.[i]])
    .flat()
    .filter((address) => address !== undefined)
}

/** A family without a route says something about this machine; an answer says something about the receiver. */
function mostTelling(errors: readonly Error[]): Error {
  const error = errors.find((one) => !NO_ROUTE.has(codeOf(one))) ?? (errors[0] as Error)
  return codeOf(error) === 'ETIMEDOUT' ? new ConnectTimeout() : error
}

const NO_ROUTE: ReadonlySet<string> = new Set(['ENETUNREACH', 'EHOSTUNREACH', 'EADDRNOTAVAIL'])
