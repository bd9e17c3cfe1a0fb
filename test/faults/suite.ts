import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { openDatabase } from '../../src/db/client.ts'
import { migrate } from '../../src/db/migrate.ts'
import { testEnvironment } from '../support/app.ts'
import { createTenant, JOINED } from '../support/factories.ts'
import { chanceOf } from './chance.ts'
import { startCountingReceiver } from './counting-receiver.ts'
import { FAULTS, type Fault, type World } from './fault.ts'
import { type Member, startMember } from './members.ts'
import { type OwnPostgres, startOwnPostgres } from './own-postgres.ts'
import { startPublisher } from './publisher.ts'
import { type RoundResult, runRound } from './round.ts'
import { judge, type Verdict } from './verdict.ts'

export interface SuiteOptions {
  readonly rounds: number
  /** Repeats the choice of faults and their moments. */
  readonly seed: number
  /** Events published in a second. */
  readonly perSecond: number
  /** Only the kinds of faults whose names hold this text. */
  readonly only?: string
  /** A folder to leave what the processes wrote in. */
  readonly logs?: string
  /** Ends the suite after the round that runs. */
  readonly signal?: AbortSignal
  readonly onRound?: (round: RoundResult) => void
}

export interface Report extends Verdict {
  readonly rounds: readonly RoundResult[]
}

/**
 * Publishes to real processes while faults strike them, and judges what arrived. The last third of the rounds hit one
 * process that does it all; the others an API and two workers.
 */
export async function runSuite(options: SuiteOptions): Promise<Report> {
  const { rounds, seed, perSecond, only = '', logs, signal, onRound } = options
  await using stack = new AsyncDisposableStack()
  const directory = await mkdtemp(path.join(tmpdir(), 'posthorn faults '))
  stack.defer(() => rm(directory, { recursive: true, force: true }))
  const postgres = stack.use(await startOwnPostgres(directory))
  const receiver = stack.use(await startCountingReceiver(seed))
  const token = await createTenantIn(postgres)
  const environment = await environmentOf(directory, postgres.url, receiver.authority)

  const members: Member[] = []
  stack.defer(
    async () => void (await Promise.all(members.map((one) => one[Symbol.asyncDispose]()))),
  )
  const startAll = async (...started: Promise<Member>[]) =>
    void members.push(...(await Promise.all(started)))
  await startAll(
    startMember('the API', 'api', environment),
    startMember('worker 1', 'worker', environment),
    startMember('worker 2', 'worker', environment),
  )
  let apiUrl = members[0]?.url as string
  for (const hook of ['steady', 'shaky']) await register(apiUrl, token, `${receiver.url}/${hook}`)

  const chance = chanceOf(seed)
  const name = `fault-${seed}`
  const publisher = stack.use(startPublisher({ url: () => apiUrl, token, name, perSecond }))
  const results: RoundResult[] = []
  const retired: Member[] = []
  const single = Math.floor(rounds / 3)
  const faults = inSomeOrder(rounds, only, chance)
  for (const [index, fault] of faults.entries()) {
    if (signal?.aborted) break
    if (index === rounds - single) {
      const whole = await startMember('the whole', 'all', environment)
      apiUrl = whole.url
      for (const member of members) await member.terminate()
      retired.push(...members.splice(0, members.length, whole))
    }
    const world: World = { postgres, members, chance }
    const result = await runRound(index + 1, fault, world, publisher)
    results.push(result)
    onRound?.(result)
  }
  await publisher[Symbol.asyncDispose]()
  const all = [...members, ...retired]
  const verdict = await judge({
    postgres,
    receiver,
    publisher,
    members: all,
    rounds: results,
  })
  if (logs) {
    await mkdir(logs, { recursive: true })
    for (const { name, log } of all) await writeFile(path.join(logs, `${name}.log`), log)
  }
  return { ...verdict, rounds: results }
}

/** Every kind of fault comes before any comes again. */
function inSomeOrder(count: number, only: string, chance: () => number): Fault[] {
  const wanted = FAULTS.filter(({ name }) => name.includes(only))
  if (wanted.length === 0) throw new Error(`--only ${only}: no fault has that in its name.`)
  const faults: Fault[] = []
  while (faults.length < count) {
    const kinds = [...wanted]
    while (kinds.length > 0) faults.push(...kinds.splice(Math.floor(chance() * kinds.length), 1))
  }
  return faults.slice(0, count)
}

async function createTenantIn(postgres: OwnPostgres): Promise<string> {
  await using database = openDatabase(postgres.url)
  await migrate(database.pool)
  return (await createTenant(database.prisma)).token
}

async function environmentOf(directory: string, databaseUrl: string, authority: string) {
  const file = path.join(directory, 'ca.pem')
  await writeFile(file, authority)
  return {
    ...testEnvironment(databaseUrl),
    POSTHORN_EGRESS_CA_FILE: file,
    POSTHORN_ATTEMPT_TIMEOUT: '3s',
    POSTHORN_RETRY_SCHEDULE: '200ms,500ms,1s,1s,1s,1s,1s,1s,2s,2s,2s,2s,2s',
    POSTHORN_LOG_LEVEL: 'warn',
  }
}

async function register(apiUrl: string, token: string, url: string): Promise<void> {
  const response = await fetch(`${apiUrl}/api/connect/v1/webhooks`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ url, event_subscriptions: [JOINED], enabled: true }),
  })
  if (response.status !== 201) throw new Error(`The webhook was refused: ${await response.text()}`)
}
