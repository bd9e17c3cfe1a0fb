import { readFile, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { processExists } from '../../lib/process-exists.ts'

/** The content of the file `server.json` of the data directory. */
interface RunningServer {
  readonly pid: number
  readonly url: string
}

/** Saves the URL of this process's server for commands in other terminals. Disposing removes it. */
export async function saveServerUrl(dataDir: string, url: string): Promise<AsyncDisposable> {
  const file = fileIn(dataDir)
  const server: RunningServer = { pid: process.pid, url }
  await writeFile(file, `${JSON.stringify(server)}\n`)
  return {
    async [Symbol.asyncDispose]() {
      // Another process of the same data directory may have replaced it.
      if ((await readServer(file))?.pid === process.pid) await rm(file, { force: true })
    },
  }
}

/** The URL of the server that uses the data directory. Null if none runs, even if a killed one left its file. */
export async function readServerUrl(dataDir: string): Promise<string | null> {
  const server = await readServer(fileIn(dataDir))
  return server !== null && processExists(server.pid) ? server.url : null
}

function fileIn(dataDir: string): string {
  return path.join(dataDir, 'server.json')
}

/** Null if the file is missing or invalid. */
async function readServer(file: string): Promise<RunningServer | null> {
  try {
    const { pid, url } = JSON.parse(await readFile(file, 'utf8'))
    return Number.isInteger(pid) && pid > 0 && URL.canParse(url) ? { pid, url } : null
  } catch {
    return null
  }
}
