import { mkdir, writeFile } from 'node:fs/promises'
import path from 'node:path'
import type { Header } from './send-local.ts'

/**
 * Writes the exact body to `<wh-id>-<wh-timestamp>.json`, and the headers to a file beside it with one `name: value` per
 * line, as `curl --header @file` and `posthorn verify --headers file` read them.
 */
export async function saveDelivery(
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
