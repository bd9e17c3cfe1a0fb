import type { Command } from 'commander'
import type { ListedEventType } from '../installation/installation.ts'
import { withInstallation, withServerOptions } from '../installation/with-installation.ts'
import { print, runCommand } from '../run-command.ts'
import type { ServerOptions } from '../server-access.ts'

interface ListOptions extends ServerOptions {
  readonly archived?: boolean
  readonly json?: boolean
}

export function registerList(eventType: Command): void {
  withServerOptions(eventType.command('list'), 'any scope')
    .summary('list the event types of the catalogue')
    .option('--archived', 'with the archived ones (default: without)')
    .option('--json', 'print an array of event types, sorted by name')
    .action(async ({ archived = false, ...options }: ListOptions) => {
      await runCommand(async () => {
        const types = await withInstallation(options, (one) => one.listEventTypes(archived))
        const lines = types.map(toLine)
        print(options.json, types.map(toJson), lines.join('\n') || 'There are no event types.')
      })
    })
}

function toJson({ searchKeys, retentionDays, archivedAt, ...type }: ListedEventType) {
  return {
    ...type,
    search_keys: searchKeys,
    retention_days: retentionDays,
    archived_at: archivedAt,
  }
}

function toLine({ name, group, version, description, archivedAt }: ListedEventType): string {
  const archived = archivedAt === null ? '' : '  archived'
  return `${name}  v${version}${archived}${group === null ? '' : `  ${group}`}  ${JSON.stringify(description)}`
}
