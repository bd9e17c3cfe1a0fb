import pg from 'pg'
import { expect, inject, onTestFinished, test } from 'vitest'
import { COMMAND_LINE } from '../../../src/auth/access/actor.ts'
import { deleteOrganization } from '../../../src/organizations/deletion/delete-organization.ts'
import { countRows } from '../../support/count-rows.ts'
import { useTestDatabase } from '../../support/database.ts'
import { createTenant } from '../../support/factories.ts'
import { until } from '../../support/until.ts'
import { withDatabase } from '../../support/with-database.ts'
import { finishDeletion } from './support/finish-deletion.ts'

const database = await useTestDatabase()

test('a deletion ends while autovacuum works', async () => {
  const { pool, prisma } = database
  const { rows } = await pool.query('select current_database() as name')
  const superuser = new pg.Client(withDatabase(inject('postgresUrl'), rows[0].name))
  await superuser.connect()
  onTestFinished(async () => {
    await superuser.query('alter system reset autovacuum_naptime')
    await superuser.query('drop table slowly_vacuumed')
    await superuser.query('select pg_reload_conf()')
    await superuser.end()
  })
  await superuser.query(
    `create table slowly_vacuumed with (autovacuum_vacuum_cost_delay = 100, autovacuum_vacuum_cost_limit = 1,
       autovacuum_vacuum_threshold = 1) as select n from generate_series(1, 200000) as n`,
  )
  await superuser.query('delete from slowly_vacuumed')
  await superuser.query(`alter system set autovacuum_naptime = '1s'`)
  await superuser.query('select pg_reload_conf()')
  const vacuums = `pg_stat_progress_vacuum where relid = 'slowly_vacuumed'::regclass`
  const isVacuumed = async () => (await countRows(superuser, vacuums)) > 0
  await until(isVacuumed, 'autovacuum works', 60_000)
  const { publicOrganizationId: id, organizationId } = await createTenant(prisma)
  await deleteOrganization(prisma, id, { force: true }, COMMAND_LINE)
  await finishDeletion(database, organizationId)
  expect(await isVacuumed()).toBe(true)
})
