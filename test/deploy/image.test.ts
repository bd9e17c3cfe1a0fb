import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { VERSION } from '../../src/lib/version.ts'
import { unappliedMigrations } from '../../src/migrate/applied-migrations.ts'
import { testEnvironment } from '../support/app.ts'
import { createBlankDatabase } from '../support/blank-database.ts'
import { freePort } from '../support/free-port.ts'
import { optional } from '../support/left-out.ts'
import { packPackage } from '../support/packed-package.ts'
import { until } from '../support/until.ts'
import { blockOf, ROOT } from './command-blocks.ts'
import { type Engine, findEngine } from './container-engine.ts'

/* The image, built and run by a container engine. dockerfile.test.ts runs the same steps without one. */

const found = await findEngine()
const engine = found as Engine
const IMAGE = `posthorn-test:${process.pid}`

/** The options that docs/operate/deploying.md gives. */
const RESTRICTIONS =
  /docker run (.*?) --env-file/.exec(blockOf('deploying.md', 'docker run --read-only'))?.[1] ?? ''

describe('the image', optional(typeof found === 'string' ? found : null), () => {
  let folder: string

  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'posthorn-image-'))
    const context = path.join(folder, 'context')
    await mkdir(context)
    const archive = await packPackage(folder)
    await rename(archive, path.join(context, path.basename(archive)))
    await engine.build(IMAGE, path.join(ROOT, 'deploy/docker/Dockerfile'), context)
  }, 600_000)
  afterAll(async () => {
    await engine.remove(IMAGE)
    await rm(folder, { recursive: true })
  })

  const run = (args: string[], environment: Record<string, string> = {}) =>
    engine.run(IMAGE, args, { environment, restrictions: RESTRICTIONS.split(' ') })

  test('runs Posthorn as an ordinary user', async () => {
    const { User, Entrypoint, StopSignal } = await engine.inspect(IMAGE)
    expect({ User, StopSignal }).toEqual({ User: '10001:10001', StopSignal: 'SIGTERM' })
    expect(Entrypoint[0]).toBe('node')
    await using version = await run(['--version'])
    expect(await version.ended, version.output).toBe(0)
    expect(version.output.trim()).toBe(VERSION)
  })

  test('migrates, is ready, serves the console, and stops on SIGTERM', async () => {
    await using database = await createBlankDatabase()
    const port = await freePort()
    const environment = {
      ...testEnvironment(database.url),
      PORT: `${port}`,
      HOST: '127.0.0.1',
      POSTHORN_LOG_LEVEL: 'info',
    }
    await using migration = await run(['migrate'], environment)
    expect(await migration.ended, migration.output).toBe(0)
    expect(await unappliedMigrations(database.pool)).toEqual([])
    await using service = await run(['start'], environment)
    await until(() => service.output.includes('"ready"'), 'the service is ready', 60_000)
    const get = (route: string) => fetch(`http://127.0.0.1:${port}${route}`)
    expect((await get('/readyz')).status).toBe(200)
    expect((await get('/console')).status).toBe(200)
    service.stop()
    await service.ended
    // The program of the engine may end before the process of the container.
    const refuses = () =>
      get('/healthz').then(
        () => false,
        () => true,
      )
    await until(refuses, 'the process has stopped')
  })

  test('says what is missing without a database', async () => {
    await using service = await run(['start'])
    expect(await service.ended).not.toBe(0)
    expect(service.output).toContain('set DATABASE_URL')
  })
})
