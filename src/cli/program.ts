import { Command } from 'commander'
import { VERSION } from '../lib/version.ts'

type Register = (program: Command) => void

/** Loaded when needed, because loading takes most of the time of a short command. */
const COMMANDS = new Map<string, () => Promise<Register>>([
  ['start', async () => (await import('./start.ts')).registerStart],
  ['migrate', async () => (await import('./migrate.ts')).registerMigrate],
  ['event-type', async () => (await import('./event-type.ts')).registerEventType],
  ['organization', async () => (await import('./organization.ts')).registerOrganization],
  ['key', async () => (await import('./key.ts')).registerKey],
  ['webhook', async () => (await import('./webhook.ts')).registerWebhook],
  ['delivery', async () => (await import('./delivery.ts')).registerDelivery],
  ['test', async () => (await import('./delivery.ts')).registerTest],
  ['publish', async () => (await import('./publish.ts')).registerPublish],
  ['listen', async () => (await import('./listen.ts')).registerListen],
  ['export', async () => (await import('./export.ts')).registerExport],
  ['import', async () => (await import('./export.ts')).registerImport],
  ['verify', async () => (await import('./verify.ts')).registerVerify],
])

/** The command `posthorn` with the command of this name; with all commands, if there is none of the name. */
export async function createProgram(name = ''): Promise<Command> {
  const program = new Command('posthorn')
    .description(
      'Posthorn sends webhooks: signed, delivered at least once, retried for days, with a record of every attempt.',
    )
    .version(VERSION)
    .configureHelp({ subcommandDescription: summaryOf })
    .showHelpAfterError('(posthorn --help shows the commands)')
    .addHelpText(
      'after',
      `
Settings are environment variables, also read from .env; .env.example lists them.
Without DATABASE_URL, Posthorn uses an embedded Postgres in POSTHORN_DATA_DIR (.posthorn).`,
    )
  const named = COMMANDS.get(name)
  for (const load of named ? [named] : COMMANDS.values()) (await load())(program)
  return program
}

/** The first sentence of the description, for lists of commands. */
export function summaryOf(command: Command): string {
  return /^.*?[.](?=\s|$)/s.exec(command.description())?.[0] ?? ''
}
