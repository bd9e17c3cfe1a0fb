import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { COMMAND_LINE } from '../../../src/access/actor.ts'
import { type Database, openDatabase } from '../../../src/db/client.ts'
import { migrate } from '../../../src/migrate/migrate.ts'
import { runDeletionPage } from '../../../src/organizations/deletion/continue-deletion.ts'
import { deleteOrganization } from '../../../src/organizations/deletion/delete-organization.ts'
import { createPostgres, type InstalledPostgres } from '../../deploy/installed-postgres.ts'
import { createTenant } from '../../support/factories.ts'
import { whyMissing } from '../../support/installed-program.ts'
import { needs } from '../../support/left-out.ts'
import { fillDeliveries } from '../../support/many-deliveries.ts'
import { contentsOf } from './support/contents-of.ts'
import { findInTables } from './support/find-in-tables.ts'
import { finishDeletion } from './support/finish-deletion.ts'

let folder: string
let postgres: InstalledPostgres | undefined

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'posthorn-restored-'))
  if (whyMissing('pg_ctl') !== null) return
  postgres = await createPostgres(folder)
  await postgres.start()
})
afterAll(async () => {
  await postgres?.[Symbol.asyncDispose]()
  await rm(folder, { recursive: true, force: true })
})

test(
  'what a restored dump has brought back is deleted again, a deletion that ran during the dump goes on, and another organization keeps everything',
  needs('pg_ctl'),
  async () => {
    const { run } = postgres as InstalledPostgres
    await run('createdb posthorn && createdb restored')
    await using source = open('posthorn')
    await migrate(source.pool)
    const [gone, half, kept] = [await tenant(source), await tenant(source), await tenant(source)]
    await remove(source, half.publicOrganizationId)
    for (let pages = 0; pages < 12; pages++) await onePage(source, half.organizationId)
    const dumping = run('pg_dump -Fc -f posthorn.dump "$DATABASE_URL"')
    const deleting = finishDeletion(source, half.organizationId)
    await Promise.all([dumping, deleting])
    await remove(source, gone.publicOrganizationId)

    await run('pg_restore --no-owner -d restored posthorn.dump')
    await using restored = open('restored')
    const before = await contentsOf(restored.pool, kept.organizationId)
    expect(before).toEqual(await contentsOf(source.pool, kept.organizationId))
    await remove(restored, gone.publicOrganizationId)
    for (const { organizationId } of [gone, half]) {
      await finishDeletion(restored, organizationId)
      expect(await findInTables(restored.pool, [organizationId])).toEqual([
        'organization_deletions',
      ])
    }
    expect(await contentsOf(restored.pool, kept.organizationId)).toEqual(before)
  },
)

function open(name: string): Database {
  return openDatabase((postgres as InstalledPostgres).urlOf(name))
}

async function tenant({ prisma, pool }: Database) {
  const created = await createTenant(prisma)
  await fillDeliveries(pool, created.organizationId, 500)
  return created
}

async function remove({ prisma }: Database, id: string): Promise<void> {
  await deleteOrganization(prisma, id, { force: true }, COMMAND_LINE)
}

async function onePage({ background }: Database, organizationUuid: string): Promise<void> {
  await runDeletionPage(background, 'graphile_worker', organizationUuid)
}
