import { randomBytes } from 'node:crypto'
import { mkdir, rename, rm, stat, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { type PostgresBinaries, run } from './binaries.ts'

/**
 * Creates the cluster of the embedded Postgres if there is none, and runs `setup` in it, one statement a line. It is created
 * in a temporary folder and renamed into place, so that an interrupted start leaves no cluster.
 */
export async function ensureCluster(
  binaries: PostgresBinaries,
  cluster: string,
  superuser: { readonly user: string; readonly password: string },
  setup: readonly string[] = [],
): Promise<void> {
  if (await exists(path.join(cluster, 'PG_VERSION'))) return
  const draft = `${cluster}-${process.pid}-${randomBytes(4).toString('hex')}`
  const passwordFile = `${draft}.password`
  try {
    await writeFile(passwordFile, superuser.password, { mode: 0o600 })
    await binaries.changeOwner(passwordFile)
    await mkdir(draft, { mode: 0o700 })
    await binaries.changeOwner(draft)
    await run(binaries, 'initdb', [
      `--pgdata=${draft}`,
      `--username=${superuser.user}`,
      `--pwfile=${passwordFile}`,
      '--auth=scram-sha-256',
      '--encoding=UTF8',
      '--locale-provider=builtin',
      '--builtin-locale=C.UTF-8',
      '--locale=C',
      '--no-sync',
      '--no-instructions',
    ])
    const alone = ['--single', '-c', 'exit_on_error=on', '-D', draft, 'template1']
    if (setup.length > 0) await run(binaries, 'postgres', alone, `${setup.join('\n')}\n`)
    await rename(draft, cluster).catch(async (error: NodeJS.ErrnoException) => {
      // Another process created the cluster first.
      if (error.code !== 'ENOTEMPTY' && error.code !== 'EEXIST') throw error
    })
  } finally {
    await rm(draft, { recursive: true, force: true })
    await rm(passwordFile, { force: true })
  }
}

async function exists(file: string): Promise<boolean> {
  return await stat(file).then(
    () => true,
    () => false,
  )
}
