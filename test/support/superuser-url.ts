import { readFile } from 'node:fs/promises'
import path from 'node:path'

/** The URL of the embedded Postgres of a data directory for its superuser, who may create databases and roles. */
export async function superuserUrl(dataDir: string, url: string): Promise<string> {
  const changed = new URL(url)
  changed.username = 'posthorn'
  changed.password = (await readFile(path.join(dataDir, 'postgres-password'), 'utf8')).trim()
  return changed.href
}
