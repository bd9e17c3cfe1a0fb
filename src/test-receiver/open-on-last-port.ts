import { readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { processExists } from '../lib/process-exists.ts'
import { openTestReceiver, type TestReceiver, type TestReceiverOptions } from './test-receiver.ts'

/**
 * Opens the test receiver on the port of the last start, which is in the URLs of webhooks, or else on a free one. The port
 * and the process are kept in the data directory. A second process of the directory leaves them to the first.
 */
export async function openOnLastPort(
  dataDir: string,
  options: Omit<TestReceiverOptions, 'port'>,
): Promise<TestReceiver> {
  const file = path.join(dataDir, 'test-receiver-port')
  const { port, pid } = await readLastStart(file)
  const last = port > 0 ? await openTestReceiver({ ...options, port }).catch(() => null) : null
  const opened = last ?? (await openTestReceiver({ ...options, port: 0 }))
  const isOfAnother = last === null && pid > 0 && pid !== process.pid && processExists(pid)
  if (!isOfAnother) await writeFile(file, `${opened.port} ${process.pid}\n`)
  return opened
}

/** 0 for what the file does not have. Version 0.2 did not write the process. */
async function readLastStart(file: string): Promise<{ port: number; pid: number }> {
  const words = (await readFile(file, 'utf8').catch(() => '')).trim().split(' ')
  const [port = 0, pid = 0] = words.map(Number)
  return { port: isPort(port) ? port : 0, pid: Number.isInteger(pid) ? pid : 0 }
}

const isPort = (port: number) => Number.isInteger(port) && port > 0 && port < 65_536
