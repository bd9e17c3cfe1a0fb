import type { Command } from 'commander'
import { COMMAND_LINE } from '../access/actor.ts'
import type { Organization } from '../db/generated/prisma/client.ts'
import { publicId } from '../db/ids.ts'
import { createOrganization, listOrganizations } from '../organizations/organization.ts'
import { print, runCommand, withServices } from './run-command.ts'

/** `posthorn organization create` and `list`. */
export function registerOrganization(program: Command): void {
  const organization = program.command('organization').summary('manage organizations')
  registerCreate(organization)
  registerList(organization)
}

function registerCreate(organization: Command): void {
  organization
    .command('create')
    .summary('create an organization')
    .description(
      'Creates an organization without API keys and webhooks, and prints its id, which other commands need.',
    )
    .argument('<name>', 'a label of 1 to 200 characters')
    .option('--json', 'print {"id":"org_…","name":"…","created_at":"…"}')
    .action(async (name: string, { json }: { json?: boolean }) => {
      await runCommand(() =>
        withServices(async ({ database }) => {
          const created = toJson(await createOrganization(database.prisma, { name }, COMMAND_LINE))
          print(json, created, toLine(created))
        }),
      )
    })
}

function registerList(organization: Command): void {
  organization
    .command('list')
    .summary('list the organizations')
    .option('--json', 'print an array of organizations, oldest first')
    .action(async ({ json }: { json?: boolean }) => {
      await runCommand(() =>
        withServices(async ({ database }) => {
          const organizations = (await listOrganizations(database.prisma)).map(toJson)
          const lines = organizations.map(toLine)
          print(json, organizations, lines.join('\n') || 'There are no organizations.')
        }),
      )
    })
}

function toJson({ id, name, createdAt }: Organization) {
  return { id: publicId('organization', id), name, created_at: createdAt }
}

function toLine({ id, name }: ReturnType<typeof toJson>): string {
  return `${id}  ${name}`
}
