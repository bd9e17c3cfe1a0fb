import { mkdir, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { formatDelivery, formatDeliveryAsJson } from '../format-delivery.ts'
import { customHeaders } from '../received-delivery.ts'
import type { Verifier } from '../verifier.ts'
import { type Header, type LocalAnswer, sendLocal } from './send-local.ts'

export interface ForwardOptions {
  readonly url: URL
  readonly headerPrefix: string
  readonly verifier: Verifier
  readonly json?: true
  /** Whether the local server may have any certificate. */
  readonly insecure?: true
  /** The folder to save each delivery in. */
  readonly save?: string
  /** Ends the requests to the local server. */
  readonly signal?: AbortSignal
}

export interface SignedDelivery {
  readonly headers: readonly Header[]
  readonly body: Buffer
}

/** Sends a delivery to the local server as it is, and prints it with the answer. */
export type Forward = (delivery: SignedDelivery) => Promise<LocalAnswer>

export function createForward(options: ForwardOptions): Forward {
  const { url, headerPrefix, verifier, insecure, signal } = options
  const arrivalsById = new Map<string, number>()

  return async ({ headers, body }) => {
    const receivedAt = new Date()
    const byName = Object.fromEntries(headers.map(({ name, value }) => [name.toLowerCase(), value]))
    const read = (name: string) => byName[headerPrefix + name] ?? null
    const id = read('id')
    const arrivals = (arrivalsById.get(id ?? '') ?? 0) + 1
    arrivalsById.set(id ?? '', arrivals)
    const verification = await verifier(body, byName)
    const answer = await sendLocal({ url, headers, body, insecure, signal })
    if (signal?.aborted) return answer
    if (options.save !== undefined) await saveDelivery(options.save, headers, headerPrefix, body)
    const delivery = {
      ...{ receivedAt, verification, id, arrivals },
      timestamp: read('timestamp'),
      signature: read('signature'),
      isTest: read('test') === 'true',
      headers: customHeaders(byName, headerPrefix),
      body: body.toString(),
      answered: answer.status,
      local: { url: url.href, answer },
    }
    const text = options.json
      ? formatDeliveryAsJson(delivery)
      : formatDelivery(delivery, headerPrefix)
    process.stdout.write(`${text}\n`)
    return answer
  }
}

/**
 * Writes the exact body to `<wh-id>-<wh-timestamp>.json`, and the headers to a file beside it with one `name: value` per
 * line, as `curl --header @file` and `posthorn verify --headers file` read them.
 */
async function saveDelivery(
  folder: string,
  headers: readonly Header[],
  headerPrefix: string,
  body: Buffer,
): Promise<void> {
  const read = (name: string) =>
    headers.find((header) => header.name.toLowerCase() === headerPrefix + name)?.value ?? ''
  const name = `${read('id')}-${read('timestamp')}`.replace(/[^\w-]/g, '_')
  await mkdir(folder, { recursive: true })
  const lines = headers.map(({ name, value }) => `${name}: ${value}\n`)
  // A custom header can be a credential.
  const mode = 0o600
  await writeFile(path.join(folder, `${name}.headers`), lines.join(''), { mode })
  await writeFile(path.join(folder, `${name}.json`), body, { mode })
}
