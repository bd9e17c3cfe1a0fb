import { Command } from 'commander'
import { VERSION } from '../lib/version.ts'
import { registerExport } from './export.ts'
import { registerImport } from './import.ts'
import { registerKey } from './key.ts'
import { registerListen } from './listen.ts'
import { registerMigrate } from './migrate.ts'
import { registerOrganization } from './organization.ts'
import { registerPublish } from './publish.ts'
import { rejectBrokenArguments } from './reject-broken-arguments.ts'
import { registerStart } from './start.ts'
import { registerVerify } from './verify.ts'

const program = new Command('posthorn')
  .description(
    'Posthorn sends webhooks: signed, delivered at least once, retried for days, with a record of every attempt.',
  )
  .version(VERSION)
  .showHelpAfterError('(posthorn --help shows the commands)')
  .addHelpText(
    'after',
    `
Settings are environment variables, also read from .env; .env.example lists them.
Without DATABASE_URL, Posthorn uses an embedded Postgres in POSTHORN_DATA_DIR (.posthorn).`,
  )

registerStart(program)
registerMigrate(program)
registerOrganization(program)
registerKey(program)
registerPublish(program)
registerListen(program)
registerVerify(program)
registerExport(program)
registerImport(program)

rejectBrokenArguments(program, process.argv.slice(2))
await program.parseAsync()
