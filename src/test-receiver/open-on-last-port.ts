import { readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { openTestReceiver, type TestReceiver, type TestReceiverOptions } from './test-receiver.ts'

/**
 * Opens the test receiver on the port of the last start, which is in the URLs of webhooks, or else on a free one. The port
 * is kept in the data directory.
 */
export async function openOnLastPort(
  dataDir: string,
  options: Omit<TestReceiverOptions, 'port'>,
): Promise<TestReceiver> {
  const file = path.join(dataDir, 'test-receiver-port')
  const port = await readPort(file)
  const last = port > 0 ? await openTestReceiver({ ...options, port }).catch(() => null) : null
  if (last) return last
  const opened = await openTestReceiver({ ...options, port: 0 })
  await writeFile(file, `${opened.port}\n`)
  return opened
}

/** 0 if there was no start, or the file has no port. */
async function readPort(file: string): Promise<number> {
  const port = Number(await readFile(file, 'utf8').catch(() => ''))
  return Number.isInteger(port) && port > 0 && port < 65_536 ? port : 0
}
