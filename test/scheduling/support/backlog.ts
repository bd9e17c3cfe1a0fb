import { afterEach, beforeEach } from 'vitest'
import type { Sql } from '../../../src/db/client.ts'
import { startTestApp, type TestApp, type TestAppOptions } from '../../support/app.ts'
import { countRows } from '../../support/count-rows.ts'
import { createTenant, JOINED, TICKET } from '../../support/factories.ts'
import { passTime } from '../../support/pass-time.ts'
import { callerWith } from '../../support/post-graphql.ts'
import { type Receiver, sharedAuthority, useReceiver } from '../../support/receiver.ts'
import { until } from '../../support/until.ts'

/** Opens a receiver for the tests of a file, and for each test an app that trusts the receiver. */
export async function useApp({
  withSecondWorker = false,
  ...options
}: TestAppOptions & { withSecondWorker?: boolean } = {}) {
  const receiver = await useReceiver()
  const canary = await useReceiver()
  const trustedAuthorities = [(await sharedAuthority()).pem]
  const posthorn = {} as TestApp
  let opened: AsyncDisposableStack
  beforeEach(async () => {
    for (const { clear } of [receiver, canary]) clear()
    receiver.answer = (response) => response.end()
    opened = new AsyncDisposableStack()
    Object.assign(posthorn, opened.use(await startTestApp({ trustedAuthorities, ...options })))
    const { database } = posthorn
    if (withSecondWorker) {
      opened.use(await startTestApp({ trustedAuthorities, database, role: 'worker' }))
    }
  })
  afterEach(() => opened.disposeAsync())
  const sql = () => posthorn.database.pool
  return {
    receiver,
    posthorn,
    released: (by: TestApp = posthorn) => untilReleased(by, canary),
    // The functions of this file, for the app.
    publish: (count: number, first = 0, to = posthorn.tenant.publicOrganizationId) =>
      publish(sql(), to, count, first),
    untilSucceeded: (count: number, withinMs?: number) => untilSucceeded(sql(), count, withinMs),
    parked: () => countParked(sql()),
    states: () => countStates(sql()),
    jobs: () => countJobs(sql()),
    pass: (seconds: number) => passTime(sql(), seconds),
    /** The health of a webhook. */
    async health(id: string) {
      const fields =
        'state onHoldSince onHoldReason nextProbeAt consecutiveFailures concurrencyLimit'
      const query = `query ($id: ID!) { webhook(id: $id) { health { ${fields} } } }`
      return (await posthorn.graphql(query, { id })).webhook.health
    },
  }
}

/**
 * Resolves after a release of all backlogs: a parked delivery of another organization has arrived, which was published after
 * the call. Leaves none of its deliveries behind.
 */
async function untilReleased({ app, database }: TestApp, canary: Receiver): Promise<void> {
  const { pool, prisma } = database
  const other = await createTenant(prisma)
  const caller = callerWith(app.url, other.token)
  const id = await createWebhook(caller, canary.url, { eventSubscriptions: [TICKET] })
  await pool.query(
    `insert into posthorn.webhook_schedules (webhook_id, backlog_since) values (posthorn.parse_type_id('wh', $1), now())`,
    [id],
  )
  const arrived = canary.received.length + 1
  await pool.query(`select from posthorn.publish_event($1, $2, '{}')`, [
    other.publicOrganizationId,
    TICKET,
  ])
  await canary.arrival(arrived)
  const own = `posthorn.deliveries where organization_id = $1`
  const isRecorded = () => countRows(pool, `${own} and state = 'succeeded'`, [other.organizationId])
  await until(isRecorded, 'the delivery of the other organization is recorded')
  await pool.query(`delete from ${own}`, [other.organizationId])
  await pool.query(
    `delete from posthorn.webhook_schedules where webhook_id = posthorn.parse_type_id('wh', $1)`,
    [id],
  )
}

/** Answers requests for a path only when `answerAll` is called. */
export function withholdAnswers(receiver: Receiver, withheldPath: string) {
  const withheld: (() => void)[] = []
  let isWithholding = true
  receiver.answer = (response, { path }) => {
    if (path !== withheldPath || !isWithholding) return void response.end()
    slow.inFlight += 1
    slow.maxInFlight = Math.max(slow.maxInFlight, slow.inFlight)
    withheld.push(() => {
      slow.inFlight -= 1
      response.end()
    })
  }
  const slow = {
    inFlight: 0,
    maxInFlight: 0,
    answerAll() {
      isWithholding = false
      for (const answer of withheld.splice(0)) answer()
    },
  }
  return slow
}

/** Creates a webhook that subscribes to `JOINED`. Returns its public id. */
export async function createWebhook(
  { graphql }: Pick<TestApp, 'graphql'>,
  url: string,
  options: object = {},
): Promise<string> {
  const { createWebhook } = await graphql(
    `mutation ($input: CreateWebhookInput!) {
      createWebhook(input: $input) {
        ... on CreateWebhookSuccess { webhook { id } }
        ... on ValidationError { message }
      }
    }`,
    { input: { url, eventSubscriptions: [JOINED], enabled: true, ...options } },
  )
  return createWebhook.webhook.id
}

/** Publishes events in batches, numbered in `data.number` from `first` on. */
export async function publish(
  sql: Sql,
  organization: string,
  count: number,
  first = 0,
): Promise<void> {
  for (let done = 0; done < count; done += 5_000) {
    const events = Array.from({ length: Math.min(5_000, count - done) }, (_, i) => ({
      type: JOINED,
      data: { number: first + done + i },
    }))
    await sql.query('select count(*) from posthorn.publish_events($1, $2)', [
      organization,
      JSON.stringify(events),
    ])
  }
}

/** The number of the event of a request, as `publish` set it. */
export function numberOf({ body }: { readonly body: Buffer }): number {
  return JSON.parse(body.toString()).data.number
}

/** Redelivers a delivery, by its public id. */
export async function redeliver({ graphql }: TestApp, { id }: { readonly id: string }) {
  const query = 'mutation ($id: ID!) { redeliver(input: { ids: [$id] }) { __typename } }'
  return (await graphql(query, { id })).redeliver.__typename as string
}

/** Counts the deliveries of all webhooks by state. */
export async function countStates(sql: Sql): Promise<Record<string, number>> {
  const { rows } = await sql.query<{ state: string; n: number }>(
    'select state, count(*)::int as n from posthorn.deliveries group by 1',
  )
  return Object.fromEntries(rows.map(({ state, n }) => [state, n]))
}

export async function untilSucceeded(sql: Sql, count: number, withinMs?: number): Promise<void> {
  const succeeded = async () => (await countStates(sql))['succeeded'] === count
  await until(succeeded, `${count} deliveries succeed`, withinMs)
}

/** Counts the parked deliveries of all webhooks. */
export const countParked = (sql: Sql) =>
  countRows(sql, 'posthorn.deliveries where parked_at is not null')

/** Counts the jobs of deliveries, without running jobs that were replaced. */
export const countJobs = (sql: Sql) =>
  countRows(
    sql,
    `graphile_worker.jobs where task_identifier = 'posthorn:deliver' and key is not null`,
  )
