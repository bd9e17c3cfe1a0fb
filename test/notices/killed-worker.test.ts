import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, test } from 'vitest'
import { createWebhook, publish } from '../scheduling/support/backlog.ts'
import { startTestApp, testEnvironment } from '../support/app.ts'
import { startPosthorn } from '../support/posthorn-process.ts'
import { startReceiver } from '../support/receiver.ts'
import { until } from '../support/until.ts'
import { findNotices, switchOn } from './support/notices.ts'

test('a worker that is killed between a hold and its notice leaves both or neither, and the next one tells it once', async () => {
  await using stack = new AsyncDisposableStack()
  const receiver = stack.use(await startReceiver())
  receiver.answer = (response) => {
    response.statusCode = 503
    response.end()
  }
  const directory = await mkdtemp(path.join(tmpdir(), 'posthorn notices '))
  stack.defer(() => rm(directory, { recursive: true, force: true }))
  await writeFile(path.join(directory, 'ca.pem'), receiver.authority)
  const api = stack.use(await startTestApp({ role: 'api' }))
  const { pool } = api.database
  const environment = {
    ...testEnvironment(api.database.url),
    POSTHORN_RETRY_SCHEDULE: '1h',
    POSTHORN_EGRESS_CA_FILE: path.join(directory, 'ca.pem'),
  }
  const startWorker = () => stack.use(startPosthorn(['start', '--role', 'worker'], { environment }))
  await switchOn(api)
  await createWebhook(api, receiver.url)
  const publishSome = (count: number) => publish(pool, api.tenant.publicOrganizationId, count)
  const count = async (text: string) => (await pool.query(text)).rows.length
  const holds = () =>
    count('select from posthorn.webhook_schedules where on_hold_since is not null')

  const onHold = () =>
    count(`select from posthorn.incidents where webhook_state = 'on_hold' and resolved_at is null`)
  const tellings = async () =>
    (await findNotices(pool)).filter(({ type }) => type === 'posthorn.webhook.on_hold').length

  const victim = startWorker()
  await publishSome(10)
  await until(
    () => count('select from posthorn.webhook_conditions where consecutive_failures = 10'),
    'ten failures',
  )
  await pool.query(
    `update posthorn.webhook_conditions set failing_since = now() - interval '2 minutes'`,
  )

  // The statement that puts the webhook on hold waits for this lock when it writes the notice.
  const blocker = await pool.connect()
  await blocker.query('begin; lock table posthorn.reported_states in exclusive mode')
  await publishSome(1)
  await until(
    () =>
      count(
        `select from pg_stat_activity
         where datname = current_database() and wait_event_type = 'Lock' and query like '%webhook_holds%'`,
      ),
    'the notice waits',
  )
  victim.child.kill('SIGKILL')
  await victim.ended
  expect([await holds(), await tellings(), await onHold()]).toEqual([0, 0, 0])
  await blocker.query('rollback')
  blocker.release()
  await until(
    async () =>
      (await count(
        `select from pg_stat_activity where datname = current_database() and query like '%webhook_holds%'
           and state <> 'idle' and pid <> pg_backend_pid()`,
      )) === 0,
    'Postgres ends the statement',
  )
  expect(await tellings()).toBe(await holds())
  expect(await onHold()).toBe(await holds())

  startWorker()
  await publishSome(1)
  await until(async () => (await holds()) === 1, 'the webhook is on hold')
  await until(async () => (await tellings()) === 1, 'the hold is told')
  expect(await onHold()).toBe(1)
})
