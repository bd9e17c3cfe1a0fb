import type { Command } from 'commander'
import { ACCEPT_BROKEN_SELECTIONS } from '../installation/installation.ts'
import { withInstallation, withServerOptions } from '../installation/with-installation.ts'
import { print, runCommand } from '../run-command.ts'
import type { ServerOptions } from '../server-access.ts'

export function registerArchive(eventType: Command): void {
  withServerOptions(eventType.command('archive'), 'the scope admin')
    .summary('archive an event type')
    .description(
      'Archives an event type: it can no longer be published, and webhooks can no longer subscribe to it. Existing subscriptions and events stay. Archiving it again changes nothing.',
    )
    .argument('<name>', 'the name, such as order.paid')
    .option(...ACCEPT_BROKEN_SELECTIONS)
    .option('--json', 'print {"name":"order.paid","archived_at":"…"}')
    .action(setArchived(true))
}

export function registerUnarchive(eventType: Command): void {
  withServerOptions(eventType.command('unarchive'), 'the scope admin')
    .summary('return an archived event type to the catalogue')
    .description('Returns an archived event type to the catalogue. Doing so again changes nothing.')
    .argument('<name>', 'the name, such as order.paid')
    .option(...ACCEPT_BROKEN_SELECTIONS)
    .option('--json', 'print {"name":"order.paid","archived_at":null}')
    .action(setArchived(false))
}

type Options = ServerOptions & {
  readonly json?: boolean
  readonly acceptBrokenSelections?: boolean
}

function setArchived(archived: boolean) {
  return async (name: string, options: Options): Promise<void> => {
    await runCommand(async () => {
      const { archivedAt } = await withInstallation(options, (one) =>
        one.setEventTypeArchived(name, archived, options.acceptBrokenSelections ?? false),
      )
      const text = archived ? `${name} is archived.` : `${name} is in the catalogue.`
      print(options.json, { name, archived_at: archivedAt }, text)
    })
  }
}
