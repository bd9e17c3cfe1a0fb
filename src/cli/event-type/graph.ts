import { writeFile } from 'node:fs/promises'
import type { Command } from 'commander'
import { withInstallation, withServerOptions } from '../installation/with-installation.ts'
import { runCommand } from '../run-command.ts'
import type { ServerOptions } from '../server-access.ts'

interface Options extends ServerOptions {
  readonly out?: string
}

/** `posthorn event-type graph`. */
export function registerGraph(eventType: Command): void {
  withServerOptions(eventType.command('graph'), 'any scope')
    .summary('print the event graph as a GraphQL schema')
    .description(
      'Prints the schema of the event graph, which has an object type for each event type of the catalogue: what selections of webhooks and /graphql/events are written in. A server has the same at /schema-events.graphql.',
    )
    .option('--out <file>', 'write the file, such as events.graphql, in place of printing it')
    .action(async ({ out, ...server }: Options) => {
      await runCommand(async () => {
        const types = await withInstallation(server, (one) => one.describeEventTypes())
        const [{ createEventSchema }, { printEventGraph }, { streamRoots }] = await Promise.all([
          import('../../event-graph/event-schema.ts'),
          import('../../event-graph/print-event-graph.ts'),
          import('../../event-stream/graph/root-types.ts'),
        ])
        const catalogue = types.map(({ schema, ...type }) => ({
          ...type,
          schema: schema === null ? null : JSON.stringify(schema),
        }))
        const schema = await createEventSchema(catalogue, streamRoots, { isStream: true })
        const text = await printEventGraph(schema)
        if (out === undefined) process.stdout.write(text)
        else await writeFile(out, text)
      })
    })
}
