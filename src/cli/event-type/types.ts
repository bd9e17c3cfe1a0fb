import { writeFile } from 'node:fs/promises'
import type { Command } from 'commander'
import { run } from '../api.ts'
import { runCommand } from '../run-command.ts'
import { openAccess, type ServerOptions, withServerOptions } from '../server-access.ts'
import type { DescribedEventType } from './declare-events.ts'

interface Options extends ServerOptions {
  readonly out?: string
}

/** `posthorn event-type types`. */
export function registerTypes(eventType: Command): void {
  withServerOptions(eventType.command('types'), 'any scope')
    .summary('print the event types as types of TypeScript')
    .description(
      'Prints a declaration file with the interface Events, which has the type of `data` for each event type of the catalogue. Give it to verify<Events>() of @posthorn/receiver and to createClient<Events>() of @posthorn/client.',
    )
    .option('--out <file>', 'write the file, such as events.d.ts, in place of printing it')
    .action(async ({ out, ...server }: Options) => {
      await runCommand(async () => {
        const access = await openAccess(server)
        const types = await run<DescribedEventType[]>(access, SCHEMAS)
        const { declareEvents } = await import('./declare-events.ts')
        const text = await declareEvents(types, (name) => {
          process.stderr.write(`The schema of ${name} cannot be a type: its data is unknown.\n`)
        })
        if (out === undefined) process.stdout.write(text)
        else await writeFile(out, text)
      })
    })
}

const SCHEMAS = 'query { eventTypes { name description schema } }'
