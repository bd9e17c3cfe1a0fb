import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, test } from 'vitest'
import type { Role } from '../../src/config/settings.ts'
import type { Database } from '../../src/db/client.ts'
import { unappliedMigrations } from '../../src/migrate/migrations.ts'
import { startPublisher } from '../faults/publisher.ts'
import { createBlankDatabase } from '../support/blank-database.ts'
import { checkOutVersion, findEarlierVersion } from '../support/earlier-version.ts'
import { JOINED } from '../support/factories.ts'
import { logLine, logLines } from '../support/log-lines.ts'
import { type PosthornProcess, runPosthorn, startPosthorn } from '../support/posthorn-process.ts'
import { type Receiver, startReceiver } from '../support/receiver.ts'
import { until } from '../support/until.ts'
import { startCaller } from './caller.ts'

const PER_SECOND = 20

test('an upgrade during traffic loses no event, fails no call, and lets processes of the earlier version work until they stop', async ({
  skip,
}) => {
  const from = await findEarlierVersion()
  if (!from) {
    return skip(
      'this clone has no tag v* (git fetch --tags, or set TEST_UPGRADE_FROM to a tag or a commit)',
    )
  }
  await using stack = new AsyncDisposableStack()
  const earlier = stack.use(await checkOutVersion(from))
  const receiver = stack.use(await startReceiver())
  const database = stack.use(await createBlankDatabase())
  const environment = await environmentOf(stack, database, receiver)
  const run = async (program: string | undefined, ...args: string[]) => {
    const { code, stdout, stderr } = await runPosthorn(args, {
      environment,
      ...(program && { program }),
    })
    expect(code, stderr).toBe(0)
    return stdout
  }
  const start = async (program: string | undefined, role: Role): Promise<PosthornProcess> => {
    const options = { environment, ...(program && { program }) }
    const started = stack.use(startPosthorn(['start', '--role', role], options))
    await logLine(started, { msg: 'ready' }, 60_000)
    return started
  }

  // The earlier version, in its own schema.
  await run(earlier.program, 'migrate')
  const created = await run(earlier.program, 'organization', 'create', 'Harvest Fair', '--json')
  const { id: organization } = JSON.parse(created) as { id: string }
  const scopes = SCOPES.flatMap((scope) => ['--scope', scope])
  const key = await run(earlier.program, 'key', 'create', ...scopes, '--json')
  const { token } = JSON.parse(key) as { token: string }
  const earlierApi = await start(earlier.program, 'api')
  const earlierWorker = await start(earlier.program, 'worker')
  let url = urlOf(earlierApi)
  const caller = stack.use(startCaller({ url: () => url, token }))
  await caller.register(receiver.url, JOINED)
  const publisher = stack.use(
    startPublisher({ url: () => url, token, name: 'upgrade', perSecond: PER_SECOND }),
  )
  const inSql: number[] = []
  /** Resolves when each call has been made once more, and events that were published meanwhile are delivered. */
  const trafficPasses = async () => {
    const published = await publisher.next()
    const n = -1 - inSql.length
    await database.pool.query(PUBLISH_IN_SQL, [organization, JOINED, JSON.stringify({ n })])
    inSql.push(n)
    await caller.round()
    for (const event of [published, n]) {
      await until(() => numbersAt(receiver).has(event), `event ${event} is delivered`, 60_000)
    }
  }
  await trafficPasses()

  // This version's schema, under the processes of the earlier version.
  await run(undefined, 'migrate')
  expect(await unappliedMigrations(database.pool)).toEqual([])
  await trafficPasses()

  // One process after the other.
  const worker = await start(undefined, 'worker')
  await trafficPasses()
  await stop(earlierWorker)
  await trafficPasses()
  const api = await start(undefined, 'api')
  await trafficPasses()
  url = urlOf(api)
  await trafficPasses()
  await stop(earlierApi)
  await trafficPasses()

  await publisher[Symbol.asyncDispose]()
  await caller[Symbol.asyncDispose]()
  await until(async () => (await unfinished(database)) === 0, 'every delivery is final', 60_000)
  expect([...publisher.accepted].filter((n) => !numbersAt(receiver).has(n))).toEqual([])
  expect(publisher.accepted.size).toBeGreaterThan(PER_SECOND)
  expect(publisher.unexpectedAnswers).toEqual([])
  expect(publisher.retries.broken).toBe(0)
  expect([...caller.failures]).toEqual([])
  for (const one of [earlierApi, earlierWorker, api, worker]) {
    expect(logLines(one).filter(({ level }) => level === 'error')).toEqual([])
  }
})

/** Settings that the first release knows too: an earlier version rejects a setting that it does not know. */
async function environmentOf(
  stack: AsyncDisposableStack,
  database: Database,
  receiver: Receiver,
): Promise<Record<string, string>> {
  const folder = await mkdtemp(path.join(tmpdir(), 'posthorn-upgrade-'))
  stack.defer(() => rm(folder, { recursive: true, force: true }))
  const authorityFile = path.join(folder, 'ca.pem')
  await writeFile(authorityFile, receiver.authority)
  // Every seventh event fails once, so that one version retries what the other has attempted.
  receiver.answer = (response, { headers, body }) => {
    const isFirst =
      receiver.received.filter((one) => one.headers['wh-id'] === headers['wh-id']).length === 1
    response.writeHead(isFirst && numberOf(body) % 7 === 0 ? 500 : 204).end()
  }
  return {
    DATABASE_URL: database.url,
    PORT: '0',
    POSTHORN_ENCRYPTION_KEYS: Buffer.alloc(32, 1).toString('base64'),
    POSTHORN_EGRESS_ALLOW: '127.0.0.0/8,::1/128',
    POSTHORN_EGRESS_CA_FILE: authorityFile,
    POSTHORN_RETRY_SCHEDULE: '500ms,500ms,500ms',
  }
}

const PUBLISH_IN_SQL = 'select * from posthorn.publish_event($1, $2, $3)'

const SCOPES = [
  'webhooks:read',
  'webhooks:write',
  'events:publish',
  'events:read',
  'deliveries:read',
  'deliveries:write',
]

async function stop(posthorn: PosthornProcess): Promise<void> {
  posthorn.child.kill('SIGTERM')
  expect(await posthorn.ended).toBe(0)
}

function urlOf(posthorn: PosthornProcess): string {
  return logLines(posthorn).find(({ msg }) => msg === 'ready')?.['url']
}

const numberOf = (body: Buffer): number => JSON.parse(body.toString()).data.n
const numbersAt = (receiver: Receiver) =>
  new Set(receiver.received.map(({ body }) => numberOf(body)))

async function unfinished(database: Database): Promise<number> {
  const { rows } = await database.pool.query<{ n: number }>(
    `select count(*)::int as n from posthorn.deliveries where state = 'pending'`,
  )
  return rows[0]?.n ?? Number.NaN
}
