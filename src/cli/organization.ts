import type { Command } from 'commander'
import type { Organization } from './installation/installation.ts'
import { withInstallation, withServerOptions } from './installation/with-installation.ts'
import { print, runCommand } from './run-command.ts'
import type { ServerOptions } from './server-access.ts'

interface Options extends ServerOptions {
  readonly json?: boolean
}

/** `posthorn organization create` and `list`. */
export function registerOrganization(program: Command): void {
  const organization = program.command('organization').summary('manage organizations')
  registerCreate(organization)
  registerList(organization)
}

function registerCreate(organization: Command): void {
  withServerOptions(organization.command('create'), 'the scope admin')
    .summary('create an organization')
    .description(
      'Creates an organization without API keys and webhooks, and prints its id, which other commands need.',
    )
    .argument('<name>', 'a label of 1 to 200 characters')
    .option('--json', 'print {"id":"org_…","name":"…","created_at":"…"}')
    .action(async (name: string, options: Options) => {
      await runCommand(async () => {
        const created = await withInstallation(options, (one) => one.createOrganization(name))
        print(options.json, toJson(created), toLine(created))
      })
    })
}

function registerList(organization: Command): void {
  withServerOptions(organization.command('list'), 'the scope admin')
    .summary('list the organizations')
    .option('--json', 'print an array of organizations, oldest first')
    .action(async (options: Options) => {
      await runCommand(async () => {
        const listed = await withInstallation(options, (one) => one.listOrganizations())
        const lines = listed.map(toLine)
        print(options.json, listed.map(toJson), lines.join('\n') || 'There are no organizations.')
      })
    })
}

function toJson({ id, name, createdAt }: Organization) {
  return { id, name, created_at: createdAt }
}

function toLine({ id, name }: Organization): string {
  return `${id}  ${name}`
}
