import { type Relay, startRelay } from '../../faults/relay.ts'

/** A stretch of network before a database, and the URL to reach it through. */
export async function startRelayTo(databaseUrl: string): Promise<Relay & { readonly url: string }> {
  const url = new URL(databaseUrl)
  const relay = await startRelay(Number(url.port))
  url.hostname = '127.0.0.1'
  url.port = String(relay.port)
  return { ...relay, url: url.href }
}
