import { once } from 'node:events'
import type { Command } from 'commander'
import { withInstallation, withServerOptions } from './installation/with-installation.ts'
import { runCommand } from './run-command.ts'
import type { ServerOptions } from './server-access.ts'

interface Options extends ServerOptions {
  readonly after?: string
  readonly secrets: boolean
}

/** `posthorn organization export`. */
export function registerExportOrganization(organization: Command): void {
  withServerOptions(organization.command('export'), 'the scope admin')
    .summary('write all that is stored about an organization')
    .description(
      'Writes all that is stored about an organization to standard output, as lines of JSON: {"table":"…","row":{…},"cursor":"…"}. The service may keep running. The audit log of the organization records the export.',
    )
    .argument('<id>', 'the organization, org_…')
    .option('--after <cursor>', 'resume an export behind the line with this cursor')
    .option('--secrets', 'with signing secrets and the values of custom headers', false)
    .addHelpText(
      'after',
      `
Examples:
  $ posthorn organization export org_… > organization.jsonl
  $ posthorn organization export org_… --after "$(tail -1 organization.jsonl | jq -r .cursor)" >> organization.jsonl`,
    )
    .action(async (id: string, { after, secrets, ...options }: Options) => {
      await runCommand(
        async () =>
          await withInstallation(options, (one) =>
            one.exportOrganization(id, { after: after ?? null, secrets }, write),
          ),
      )
    })
}

/** Waits for a slow reader, so that an export of any size needs little memory. */
async function write(line: string): Promise<void> {
  if (!process.stdout.write(line)) await once(process.stdout, 'drain')
}
