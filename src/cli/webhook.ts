import type { Command } from 'commander'
import { allPages, mutation, run } from './api.ts'
import { printedRow, printedTable, type Row } from './command.ts'
import { call, withOrganization } from './server-command.ts'

const JSON_FORM = 'print {"id":"wh_…","url":"…","enabled":true,"subscriptions":["order.*"]}'
const FIELDS = 'id url enabled subscriptions'

const COLUMNS = FIELDS.split(' ')

interface Changed {
  readonly webhook: Row
}

interface CreateOptions {
  readonly event: readonly string[]
  readonly description?: string
  readonly disabled: boolean
}

/** `posthorn webhook create`, `list`, `enable` and `delete`. */
export function registerWebhook(program: Command): void {
  const webhook = program.command('webhook').description('Manages webhooks.')
  const command = (name: string, access = 'write') =>
    withOrganization(webhook.command(name), `the scope webhooks:${access}`)

  command('create')
    .description(
      'Registers a webhook that receives deliveries at once. Over REST and GraphQL, a webhook is disabled by default.',
    )
    .argument('<url>', 'the public HTTPS URL that deliveries are POSTed to')
    .requiredOption(
      '--event <type...>',
      'the event types: names of the catalogue, patterns such as "order.*", or "*" for all',
    )
    .option('--description <text>', 'what the webhook is for')
    .option('--disabled', 'without deliveries, until posthorn webhook enable', false)
    .option('--json', JSON_FORM)
    .action(
      call(async (client, url: string, { event, description, disabled }: CreateOptions) => {
        const input = { url, eventSubscriptions: event, description, enabled: !disabled }
        return printedRow((await run<Changed>(client, CREATE, { input })).webhook, COLUMNS)
      }),
    )
  command('list', 'read')
    .description('Lists the webhooks of the organization.')
    .option('--json', 'print an array of webhooks, oldest first')
    .action(
      call(async (client) => {
        const webhooks = await allPages<Row>(client, 'webhooks', FIELDS)
        return printedTable(webhooks, COLUMNS, 'There are no webhooks.')
      }),
    )
  command('enable')
    .description(
      'Enables a webhook: it gets deliveries of the events from now on, and those that were parked while it was disabled. Doing so again changes nothing.',
    )
    .argument('<id>', 'the webhook, wh_…')
    .option('--undo', 'disable the webhook: its unfinished deliveries wait', false)
    .option('--json', JSON_FORM)
    .action(
      call(async (client, id: string, { undo }: { readonly undo: boolean }) => {
        const { webhook } = await run<Changed>(client, ENABLE, { id, enabled: !undo })
        return printedRow(webhook, COLUMNS)
      }),
    )
  command('delete')
    .description(
      'Deletes a webhook and cancels its unfinished deliveries. Its deliveries and attempts stay until the end of their retention.',
    )
    .argument('<id>', 'the webhook, wh_…')
    .option('--json', 'print {"id":"wh_…"}')
    .action(
      call(async (client, id: string) => {
        await run(client, DELETE, { id })
        return [{ id }, `${id} is deleted.`]
      }),
    )
}

const CREATE = mutation(
  'createWebhook(input: $input)',
  '$input: CreateWebhookInput!',
  `webhook { ${FIELDS} }`,
)

const ENABLE = mutation(
  'updateWebhook(id: $id, input: { enabled: $enabled })',
  '$id: ID!, $enabled: Boolean!',
  `webhook { ${FIELDS} }`,
)

const DELETE = mutation('deleteWebhook(id: $id)', '$id: ID!', '__typename')
