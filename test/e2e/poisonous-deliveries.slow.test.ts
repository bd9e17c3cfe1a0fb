import { beforeAll, beforeEach, expect, onTestFinished, test } from 'vitest'
import { parseId } from '../../src/db/ids.ts'
import { openWorkerProcesses } from '../bulk-tasks/worker-processes.ts'
import { createWebhook, redeliver } from '../scheduling/support/backlog.ts'
import { JOINED } from '../support/factories.ts'
import type { PosthornProcess } from '../support/posthorn-process.ts'
import { until } from '../support/until.ts'
import { useResource } from '../support/use-resource.ts'

/* The receiver ends the worker that sends it a request with this text: such a delivery is poisonous. */
const POISON = 'poison'

const processes = await useResource(openWorkerProcesses({ POSTHORN_LOG_LEVEL: 'info' }))
const { api, receiver } = processes

beforeAll(async () => void (await createWebhook(api, receiver.url)))
beforeEach(() => receiver.clear())

test('a delivery whose worker is killed four times fails and says why, the others arrive, and it can be redelivered', async () => {
  let killed = 0
  receiver.answer = (response, { body }) => {
    // The first time, the others have no answer yet.
    if (!body.includes(POISON)) {
      if (killed >= 1) response.end()
      return
    }
    const othersAreReady =
      killed === 0
        ? until(() => countOthers() >= 3, 'they are in flight')
        : untilSucceeded(...others)
    othersAreReady
      .then(() => worker.child.kill('SIGKILL'))
      .then(() => worker.ended)
      .then(() => {
        killed += 1
        worker = startWorker()
      })
  }
  const [poison = '', ...others] = await publish([POISON, 'a', 'b', 'c'])
  // As after the first two of four times.
  await setDeaths([poison], 2)
  let worker = startWorker()
  await until(async () => (await stateOf(poison)) === 'EXHAUSTED', 'it fails', 120_000)
  await untilSucceeded(...others)

  expect(killed).toBe(2)
  // Once without an answer, and once alone.
  expect(countOthers()).toBe(6)
  const facts = await deliveriesOf([poison, ...others])
  expect(facts.map(({ attempts, deaths }) => [attempts, deaths])).toEqual([
    [1, 2],
    [1, 0],
    [1, 0],
    [1, 0],
  ])
  const error = expect.stringMatching(/^A worker ended four times during this attempt/)
  expect((await find(poison)).attempts).toEqual({
    nodes: [{ succeeded: false, errorCode: 'worker_died', error }],
  })
  const { rows } = await api.database.pool.query(
    `select key, attempts = max_attempts as failed, last_error from graphile_worker.jobs where task_identifier = 'posthorn:deliver'`,
  )
  expect(rows).toEqual([
    { key: poison, failed: true, last_error: expect.stringMatching(/^worker_died from https:/) },
  ])

  receiver.answer = (response) => response.end()
  expect(await redeliver(api, { id: poison })).toBe('RedeliverSuccess')
  await untilSucceeded(poison)
  expect(await deliveriesOf([poison])).toEqual([{ attempts: 2, deaths: 0 }])
})

test('deliveries whose worker died twice are sent one at a time, and others meanwhile', async () => {
  const waiting: { text: string; end: () => void }[] = []
  receiver.answer = (response, { body }) => {
    const { text } = JSON.parse(body.toString()).data
    waiting.push({ text, end: () => response.end() })
  }
  const suspects = await publish(['suspect', 'suspect', 'suspect'])
  await setDeaths(suspects, 2)
  await api.database.pool.query(
    `select posthorn.restore_delivery_jobs(array_agg(id)) from posthorn.deliveries where worker_deaths = 2`,
  )
  startWorker()
  for (let count = 1; count <= suspects.length; count++) {
    await until(() => waiting.length === 1, 'one of them is sent', 60_000)
    const [other = ''] = await publish(['other'])
    await until(() => waiting.length === 2, 'another one is sent')
    expect(waiting.map(({ text }) => text)).toEqual(['suspect', 'other'])
    waiting.pop()?.end()
    await untilSucceeded(other)
    expect(waiting).toHaveLength(1)
    waiting.pop()?.end()
  }
  await untilSucceeded(...suspects)
  expect(await deliveriesOf(suspects)).toEqual(suspects.map(() => ({ attempts: 1, deaths: 0 })))
})

/** As rescues count them. */
async function setDeaths(ids: readonly string[], deaths: number): Promise<void> {
  await api.database.pool.query(
    `update posthorn.deliveries set worker_deaths = $2 where posthorn.type_id('msg', id) = any ($1)`,
    [ids, deaths],
  )
}

function startWorker(...given: Parameters<typeof processes.start>): PosthornProcess {
  const worker = processes.start(...given)
  onTestFinished(() => worker[Symbol.asyncDispose]())
  return worker
}

/** Publishes an event for each text. Returns the ids of the deliveries, in order. */
async function publish(texts: readonly string[]): Promise<string[]> {
  const events = texts.map((text) => ({ type: JOINED, data: { text } }))
  const published = await api.services.publishEvents(api.tenant.organizationId, events)
  const { rows } = await api.database.pool.query(
    `select posthorn.type_id('msg', id) as id from posthorn.deliveries where event_id = any ($1) order by event_id`,
    [published.map(({ id }) => parseId('event', id) ?? id)],
  )
  return rows.map(({ id }) => id)
}

const countOthers = () => receiver.received.filter(({ body }) => !body.includes(POISON)).length

async function find(id: string) {
  const { node } = await api.graphql(
    `query ($id: ID!) {
      node(id: $id) {
        ... on Delivery { state attempts(first: 5) { nodes { succeeded errorCode error } } }
      }
    }`,
    { id },
  )
  return node
}

const stateOf = async (id: string): Promise<string> => (await find(id)).state

/** Resolves when the deliveries have succeeded. */
async function untilSucceeded(...ids: string[]): Promise<void> {
  for (const id of ids) {
    await until(async () => (await stateOf(id)) === 'SUCCEEDED', `${id} arrives`, 60_000)
  }
}

/** In the order of their creation. */
async function deliveriesOf(ids: readonly string[]) {
  const { rows } = await api.database.pool.query(
    `select attempt_count as attempts, worker_deaths as deaths from posthorn.deliveries
     where posthorn.type_id('msg', id) = any ($1) order by event_id`,
    [ids],
  )
  return rows
}
