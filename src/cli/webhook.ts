import type { Command } from 'commander'
import { allPages, mutation, run } from './api.ts'
import { type Printed, printedList } from './command.ts'
import { call, withOrganization } from './server-command.ts'

const JSON_FORM = 'print {"id":"wh_…","url":"…","enabled":true,"subscriptions":["order.*"]}'
const FIELDS = 'id url enabled subscriptions'

interface Webhook {
  readonly id: string
  readonly url: string
  readonly enabled: boolean
  readonly subscriptions: readonly string[]
}

interface Changed {
  readonly webhook: Webhook
}

function toLine({ id, url, enabled, subscriptions }: Webhook): string {
  return `${id}  ${enabled ? 'enabled ' : 'disabled'}  ${url}  ${subscriptions.join(', ')}`
}

const printed = ({ webhook }: Changed): Printed => [webhook, toLine(webhook)]

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
        return printed(await run<Changed>(client, CREATE, { input }))
      }),
    )
  command('list', 'read')
    .description('Lists the webhooks of the organization.')
    .option('--json', 'print an array of webhooks, oldest first')
    .action(
      call(async (client) => {
        const webhooks = await allPages<Webhook>(client, 'webhooks', FIELDS)
        return printedList(webhooks, toLine, 'There are no webhooks.')
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
      call(async (client, id: string, { undo }: { readonly undo: boolean }) =>
        printed(await run<Changed>(client, ENABLE, { id, enabled: !undo })),
      ),
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
