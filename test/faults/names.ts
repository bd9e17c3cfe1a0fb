import { type DnsAnswer, startDnsServer } from '../outbound/dns-server.ts'

/** The host name of the receiver. */
export const RECEIVER_HOST = 'receiver.test'

/** The name server of the Posthorn processes. It knows the receiver's host only. */
export interface NameServer extends AsyncDisposable {
  /** The environment of a process that asks it. */
  readonly environment: Readonly<Record<string, string>>
  /** What it answers instead of the address, or null. */
  fault: DnsAnswer | null
}

export async function startNameServer(): Promise<NameServer> {
  let fault: DnsAnswer | null = null
  const server = await startDnsServer((name) => {
    if (fault) return fault
    return name === RECEIVER_HOST ? { addresses: ['127.0.0.1'] } : { failure: 'NXDOMAIN' }
  })
  return {
    environment: {
      NODE_OPTIONS: `--import=${new URL('name-server-preload.ts', import.meta.url)}`,
      TEST_NAME_SERVER: server.address,
    },
    get fault() {
      return fault
    },
    set fault(answer) {
      fault = answer
    },
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  }
}
