import { type Command, Option } from 'commander'
import type { Services } from '../run/services.ts'
import { ORGANIZATION_OPTION } from './installation/only-organization.ts'
import { organizationIn } from './organization-in.ts'
import { readInput } from './read-input.ts'
import { print, runCommand, withServices } from './run-command.ts'

interface Options {
  readonly organization?: string
  readonly event?: readonly string[]
  readonly key?: string
  readonly value?: string
  readonly unsent?: 'send-first' | 'cancel'
  readonly dryRun?: boolean
  readonly json?: boolean
}

/** `posthorn erase`: erases the contents of events. */
export function registerErase(program: Command): void {
  program
    .command('erase')
    .summary('erase the contents of events for good')
    .description(
      'Erases the payloads of events, their search keys and what receivers answered, in the database of the settings. The records of what was published, sent and answered stay. The service may keep running. Select the events by ids or by the value of a search key.',
    )
    .option('--organization <id>', ORGANIZATION_OPTION)
    .option('--event <id...>', 'the events with these ids: evt_…')
    .option('--key <path>', 'events with a value at this search key, such as $.customer.email')
    .option('--value <text>', 'the value at the search key; - reads it from standard input')
    .addOption(
      new Option(
        '--unsent <what>',
        'what becomes of deliveries that are not sent yet: the erasure waits for them, or cancels them',
      ).choices(['send-first', 'cancel']),
    )
    .option('--dry-run', 'only count the events')
    .option('--json', 'print {"erasure":"era_…","count":3,"unsent":1,"ended":true}')
    .addHelpText(
      'after',
      `
Examples:
  $ posthorn erase --key '$.customer.email' --value ada@example.org --dry-run
  $ posthorn erase --key '$.customer.email' --value ada@example.org --unsent cancel
  $ posthorn erase --event evt_… evt_… --unsent cancel`,
    )
    .action(async (options: Options) => {
      await runCommand(async () => {
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

async function selectionOf({ event, key, value }: Options) {
  if ((key === undefined) !== (value === undefined)) {
    throw new Error('--key and --value belong together. Give both, or neither.')
  }
  if (key === undefined || value === undefined) return { eventIds: event }
  const equals = value === '-' ? (await readInput('-')).toString().trim() : value
  return { eventIds: event, searchKey: { path: key, equals } }
}

function events(count: number): string {
  return `${count.toLocaleString('en')} ${count === 1 ? 'event' : 'events'}`
}
