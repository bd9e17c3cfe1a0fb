import { readFile } from 'node:fs/promises'
import { type Command, Option } from 'commander'
import { parseRfc3339 } from '../lib/rfc3339-time.ts'
import type { Services } from '../run/services.ts'
import { ORGANIZATION_OPTION } from './installation/only-organization.ts'
import { organizationIn } from './organization-in.ts'
import { readInput } from './read-input.ts'
import { print, runCommand, withServices } from './run-command.ts'

interface Options {
  readonly organization?: string
  readonly event?: readonly string[]
  readonly delivery?: readonly string[]
  readonly type?: readonly string[]
  readonly webhook?: readonly string[]
  readonly since?: string
  readonly until?: string
  readonly key?: string
  readonly value?: string
  readonly unsent?: 'send-first' | 'cancel'
  readonly dryRun?: boolean
  readonly list?: boolean
  readonly repeat?: string | true
  readonly json?: boolean
}

/** `posthorn erase`: erases contents, lists erasures, and repeats them in a restored database. */
export function registerErase(program: Command): void {
  program
    .command('erase')
    .summary('erase the contents of events for good')
    .description(
      'Erases the payloads of events, their search keys and what receivers answered, in the database of the settings. The records of what was published, sent and answered stay. The service may keep running. Select the events by ids, by conditions, or by the value of a search key.',
    )
    .option('--organization <id>', ORGANIZATION_OPTION)
    .option('--event <id...>', 'the events with these ids: evt_…')
    .option('--delivery <id...>', 'the events of the deliveries with these ids: msg_…')
    .option('--type <name...>', 'events of one of these types')
    .option('--webhook <id...>', 'events with a delivery to one of these webhooks: wh_…')
    .option(
      '--since <time>',
      'events published at or after this time, such as 2026-01-31T12:00:00Z',
    )
    .option('--until <time>', 'events published before this time (default: now)')
    .option('--key <path>', 'events with a value at this search key, such as $.customer.email')
    .option('--value <text>', 'the value at the search key; - reads it from standard input')
    .addOption(
      new Option(
        '--unsent <what>',
        'what becomes of deliveries that are not sent yet: the erasure waits for them, or cancels them',
      ).choices(['send-first', 'cancel']),
    )
    .option('--dry-run', 'only count the events')
    .option('--list', 'print the erasures that the database has recorded, as lines of JSON')
    .option(
      '--repeat [file]',
      'after a restore: erase again what the erasures of the database, and of a file that --list has written, erased',
    )
    .option('--json', 'print {"erasure":"era_…","count":3,"unsent":1,"ended":true}')
    .addHelpText(
      'after',
      `
Examples:
  $ posthorn erase --key '$.customer.email' --value ada@example.org --dry-run
  $ posthorn erase --key '$.customer.email' --value ada@example.org --unsent cancel
  $ posthorn erase --list > erasures.jsonl
  $ posthorn erase --repeat erasures.jsonl`,
    )
    .action(async (options: Options) => {
      await runCommand(async () => {
        if (options.list) return await withServices(list)
        const { repeat } = options
        if (repeat !== undefined) return await withServices((one) => repeatAll(one, repeat))
        await withServices((one) => eraseSelected(one, options))
      })
    })
}

async function eraseSelected(services: Services, options: Options): Promise<void> {
  const [{ erase }, { runErasure }, { COMMAND_LINE }, { parseId }] = await Promise.all([
    import('../erasure/start-erasure.ts'),
    import('../erasure/run-erasure.ts'),
    import('../access/actor.ts'),
    import('../db/ids.ts'),
  ])
  const { dryRun = false, unsent } = options
  if (!dryRun && unsent === undefined) {
    throw new Error(
      'Choose what becomes of deliveries that are not sent yet: --unsent send-first or --unsent cancel. (--dry-run counts them.)',
    )
  }
  const { database, webhooks } = services
  const { prisma, pool } = database
  const { id: organizationUuid } = await organizationIn(prisma, options.organization)
  const deps = { prisma, sql: pool, webhooks, actor: COMMAND_LINE }
  const input = {
    ...(await selectionOf(options)),
    unsent: unsent === 'cancel' ? 'cancel' : 'send_first',
    dryRun,
  } as const
  const {
    erasureId,
    count,
    exact,
    unsent: unsentCount,
  } = await erase(deps, organizationUuid, input)
  const counted = `${exact ? '' : 'more than '}${events(count)}, with ${unsentCount.toLocaleString('en')} deliveries that are not sent yet`
  if (erasureId === null) {
    const text = `An erasure would erase ${counted}.`
    return print(options.json, { erasure: null, count, unsent: unsentCount, ended: false }, text)
  }
  const uuid = parseId('erasure', erasureId) as string
  const ended = await runErasure({ pool, keyring: webhooks.keyring }, uuid)
  const text = ended
    ? `${erasureId}: erased ${events(count)}.`
    : `${erasureId}: waits until deliveries are sent. A worker goes on with it.`
  print(options.json, { erasure: erasureId, count, unsent: unsentCount, ended }, text)
}

async function selectionOf(options: Options) {
  const { event, delivery, type, webhook, since, until, key, value } = options
  if ((key === undefined) !== (value === undefined)) {
    throw new Error('--key and --value belong together. Give both, or neither.')
  }
  const filter = {
    ...(type && { types: type }),
    ...(webhook && { webhookIds: webhook }),
    ...(since !== undefined && { since: timeOf('--since', since) }),
    ...(until !== undefined && { until: timeOf('--until', until) }),
  }
  return {
    ...(event && { eventIds: event }),
    ...(delivery && { deliveryIds: delivery }),
    ...(Object.keys(filter).length > 0 && { filter }),
    ...(key !== undefined && {
      key: {
        path: key,
        equals: value === '-' ? (await readInput('-')).toString().trim() : (value as string),
      },
    }),
  }
}

function timeOf(option: string, text: string): Date {
  const time = parseRfc3339(text)
  if (time) return time
  throw new Error(`${option} must be an RFC 3339 time, such as 2026-01-31T12:00:00Z, not ${text}.`)
}

async function list({ database }: Services): Promise<void> {
  const { printRecorded, readRecorded } = await import('../erasure/recorded-erasures.ts')
  for (const erasure of await readRecorded(database.pool)) {
    process.stdout.write(`${printRecorded(erasure)}\n`)
  }
}

async function repeatAll({ database, webhooks }: Services, file: string | true): Promise<void> {
  const [{ parseRecorded, readRecorded }, { repeatErasures }, { COMMAND_LINE }, { publicId }] =
    await Promise.all([
      import('../erasure/recorded-erasures.ts'),
      import('../erasure/repeat-erasures.ts'),
      import('../access/actor.ts'),
      import('../db/ids.ts'),
    ])
  const { prisma, pool } = database
  const given = file === true ? [] : parseRecorded(await readFile(file, 'utf8'))
  const recorded = await readRecorded(pool)
  const known = new Set(recorded.map(({ uuid }) => uuid))
  const all = [...recorded, ...given.filter(({ uuid }) => !known.has(uuid))]
  const deps = { prisma, sql: pool, pool, webhooks, actor: COMMAND_LINE }
  let repeated = 0
  for await (const { erasure, erasureId, count, hasEnded } of repeatErasures(deps, all)) {
    if (erasureId === null) continue
    repeated += 1
    const end = hasEnded ? '' : ' It waits until deliveries are sent, and a worker goes on with it.'
    const id = publicId('erasure', erasure.uuid)
    process.stdout.write(`${id}: erased ${events(count)} again, as ${erasureId}.${end}\n`)
  }
  const others = all.length - repeated
  process.stdout.write(
    `Repeated ${repeated.toLocaleString('en')} of ${all.length.toLocaleString('en')} erasures. Nothing was left of the other ${others.toLocaleString('en')}.\n`,
  )
}

function events(count: number): string {
  return `${count.toLocaleString('en')} ${count === 1 ? 'event' : 'events'}`
}
