import type { Command } from 'commander'
import { COMMAND_LINE } from '../audit/actor.ts'
import { publicId } from '../ids.ts'
import { createOrganization } from '../organizations/organization.ts'
import { print, runCommand, withServices } from './run-command.ts'

/** `posthorn organization create`: makes a tenant. */
export function registerOrganization(program: Command): void {
  const organization = program.command('organization').summary('manage organizations')
  organization
    .command('create')
    .summary('make an organization')
    .description(
      'Makes an organization, without keys or webhooks. Its id is what the other commands ask for.',
    )
    .argument('<name>', 'a label of 1 to 200 characters')
    .option('--json', 'print {"id":"org_…","name":"…","created_at":"…"}')
    .action(async (name: string, { json }: { json?: boolean }) => {
      await runCommand(() =>
        withServices(async ({ database }) => {
          const made = await createOrganization(database.prisma, { name }, COMMAND_LINE)
          const id = publicId('organization', made.id)
          print(json, { id, name: made.name, created_at: made.createdAt }, `${id}  ${made.name}`)
        }),
      )
    })
}
