import { type Command, InvalidArgumentError } from 'commander'
import type { Organization } from './installation/installation.ts'
import { withInstallation, withServerOptions } from './installation/with-installation.ts'
import { print, runCommand } from './run-command.ts'
import type { ServerOptions } from './server-access.ts'

interface Options extends ServerOptions {
  readonly json?: boolean
}

interface OrganizationOptions extends Options {
  readonly days?: number | 'installation'
  readonly responseBodies?: boolean
  readonly payloads?: boolean
}

interface EventTypeOptions extends Options {
  readonly days?: number | 'installation'
}

/** `posthorn organization retention`. */
export function registerOrganizationRetention(organization: Command): void {
  withServerOptions(organization.command('retention'), 'the scope admin')
    .summary('change what is kept of an organization, and for how long')
    .description(
      'Changes how long the events, deliveries and attempts of an organization are kept, and whether response bodies, and payloads after their deliveries, are kept at all. docs/data/data.md describes both. Without an option, prints what is set.',
    )
    .argument('<organization>', 'the organization: its id, org_…, or its uid')
    .option(...DAYS)
    .option(
      '--response-bodies <keep>',
      'whether response bodies are kept: true or false',
      toBoolean,
    )
    .option(
      '--payloads <keep>',
      'whether payloads are kept after delivery: true or false',
      toBoolean,
    )
    .option(
      '--json',
      'print {"id":"org_…","retention_days":7,"keep_response_bodies":true,"keep_payloads":true}',
    )
    .action(
      async (id: string, { days, responseBodies, payloads, ...options }: OrganizationOptions) => {
        await runCommand(async () => {
          const changes = {
            ...(days !== undefined && { retentionDays: days === 'installation' ? null : days }),
            ...(responseBodies !== undefined && { keepResponseBodies: responseBodies }),
            ...(payloads !== undefined && { keepPayloads: payloads }),
          }
          const set = await withInstallation(options, (one) => one.setRetention(id, changes))
          print(options.json, toJson(set), toLine(set))
        })
      },
    )
}

/** `posthorn event-type retention`. */
export function registerEventTypeRetention(eventType: Command): void {
  withServerOptions(eventType.command('retention'), 'the scope admin')
    .summary('change how long events of a type are kept')
    .argument('<name>', 'the event type')
    .requiredOption(...DAYS)
    .option('--json', 'print {"name":"order.paid","retention_days":7}')
    .action(async (name: string, { days, ...options }: EventTypeOptions) => {
      await runCommand(async () => {
        const wanted = days === 'installation' ? null : (days ?? null)
        const { retentionDays } = await withInstallation(options, (one) =>
          one.setEventTypeRetention(name, wanted),
        )
        const line = `Events of ${name} are kept ${toTime(retentionDays)}.`
        print(options.json, { name, retention_days: retentionDays }, line)
      })
    })
}

const DAYS = [
  '--days <days>',
  'how many days: 1 to 3,650, and at most POSTHORN_RETENTION; "installation": as long as POSTHORN_RETENTION says',
  toDays,
] as const

function toDays(text: string): number | 'installation' {
  if (text === 'installation') return text
  if (/^[0-9]+$/.test(text)) return Number(text)
  throw new InvalidArgumentError('Write a number of days, such as 7, or installation.')
}

function toBoolean(text: string): boolean {
  if (text === 'true' || text === 'false') return text === 'true'
  throw new InvalidArgumentError('Write true or false.')
}

function toJson({ id, retentionDays, keepResponseBodies, keepPayloads }: Organization) {
  return {
    id,
    retention_days: retentionDays,
    keep_response_bodies: keepResponseBodies,
    keep_payloads: keepPayloads,
  }
}

function toLine({ id, retentionDays, keepResponseBodies, keepPayloads }: Organization): string {
  const kept = (keep: boolean) => (keep ? 'are kept' : 'are not kept')
  return `Events of ${id} are kept ${toTime(retentionDays)}. Response bodies ${kept(keepResponseBodies)}, and payloads ${kept(keepPayloads)} after their deliveries.`
}

function toTime(days: number | null): string {
  if (days === null) return 'as long as POSTHORN_RETENTION says'
  return `for ${days} ${days === 1 ? 'day' : 'days'}`
}
