import { expect, test } from 'vitest'
import { sweep } from '../../src/deliveries/sweep.ts'
import { testEnvironment } from '../support/app.ts'
import { useTestDatabase } from '../support/database.ts'
import { createTenant, JOINED, subscribe } from '../support/factories.ts'
import { deliveryJobs } from '../support/jobs.ts'
import { logLines } from '../support/log-lines.ts'
import { startPosthorn } from '../support/posthorn-process.ts'
import { until } from '../support/until.ts'

const database = await useTestDatabase()

interface ForeignJob {
  readonly task: string
  readonly payload: unknown
  readonly key?: string
  /** What the error says. */
  readonly error: string
}

const PAYLOADS = [null, {}, [{ webhookId: 'wh_1' }], 'text', { webhookId: 7, taskId: null }]

const NAMED = {
  release_backlog: ['webhookId', 'wh_…'],
  continue_bulk_task: ['taskId', 'task_…'],
} as const

const FOREIGN: readonly ForeignJob[] = [
  ...PAYLOADS.map((payload) => ({ task: 'deliver', payload, error: 'The job has the key null' })),
  { task: 'deliver', payload: {}, key: 'their-key', error: 'The job has the key "their-key"' },
  ...Object.entries(NAMED).flatMap(([task, [field]]) =>
    PAYLOADS.map((payload) => ({ task, payload, error: `The job has the ${field} ` })),
  ),
]

test('a job of another program fails with what is wrong with it and the remedy, and without a stack or an error in the log', async () => {
  const { pool } = database
  for (const { task, payload, key } of FOREIGN) {
    await pool.query(
      `select graphile_worker.add_job($1, $2::json, job_key := $3, max_attempts := 1)`,
      [`posthorn:${task}`, JSON.stringify(payload), key ?? null],
    )
  }
  for (const task of ['maintain', 'sweep', 'roll_up', 'send_alerts', 'check_jobs']) {
    await pool.query(`select graphile_worker.add_job($1, 'null', max_attempts := 1)`, [
      `posthorn:${task}`,
    ])
  }
  await using worker = startPosthorn(['start', '--role', 'worker'], {
    environment: { ...testEnvironment(database.url), POSTHORN_LOG_LEVEL: 'info' },
  })
  await until(
    async () => {
      const { rows } = await pool.query(
        `select from graphile_worker.jobs where locked_at is not null or attempts < max_attempts`,
      )
      return rows.length === 0
    },
    'every job has run',
    60_000,
  )
  // The maintenance completes failed jobs of deliveries without a key. Posthorn's own jobs, such as that of the maintenance,
  // have no error.
  const { rows } = await pool.query<{ error: string }>(
    `select last_error as error from graphile_worker.jobs
     where last_error is not null and (key is not null or task_identifier <> 'posthorn:deliver')`,
  )
  expect(rows).toHaveLength(FOREIGN.length - PAYLOADS.length)
  for (const { error } of rows) {
    expect(error).toMatch(
      /^The job has the .*Another program may have added it: complete the job\.$/,
    )
  }
  const lines = logLines(worker)
  expect(lines.filter(({ level }) => level === 'error' || level === 'fatal')).toEqual([])
  const warnings = lines.filter(({ event }) => event === 'job.foreign')
  expect(warnings).toHaveLength(FOREIGN.length)
  for (const { msg } of warnings) expect(msg).not.toMatch(/\n| at .*\.ts:/)
  for (const { task, error } of FOREIGN) {
    const said = warnings.some(({ msg }) => msg.includes(`posthorn:${task}`) && msg.includes(error))
    expect(said, `${task}: ${error}`).toBe(true)
  }
})

test('a delivery whose key another program used for its own job gets its job again', async () => {
  const { pool, prisma } = database
  const { organizationId, publicOrganizationId } = await createTenant(prisma)
  await subscribe(database, organizationId, [JOINED])
  await pool.query('select count(*) from posthorn.publish_events($1, $2)', [
    publicOrganizationId,
    JSON.stringify([{ type: JOINED, data: {} }]),
  ])
  const job = (await deliveryJobs(pool)).at(-1)
  await pool.query(`select graphile_worker.add_job('theirs', '{}', job_key := $1)`, [job?.key])
  const options = { recheckAfterMs: 0, olderThanMs: -60_000, pauseFactor: 0 }
  const { restored } = await sweep(pool, 'graphile_worker', options)
  expect(restored).toEqual([job?.key])
  expect((await deliveryJobs(pool)).at(-1)).toMatchObject({ key: job?.key, attempts: 0 })
})
