import type { Command } from 'commander'
import { run } from './api.ts'
import { allPages } from './organization.ts'
import { print, runCommand } from './run-command.ts'
import { ORGANIZATION, openAccess, type ServerOptions, withServerOptions } from './server-access.ts'

interface Options extends ServerOptions {
  readonly json?: boolean
}

/** `posthorn webhook create`, `list`, `enable` and `delete`. */
export function registerWebhook(program: Command): void {
  const webhook = program.command('webhook').summary('manage webhooks')
  registerCreate(webhook)
  registerList(webhook)
  registerEnable(webhook)
  registerDelete(webhook)
}

const JSON_FORM = 'print {"id":"wh_…","url":"…","enabled":true,"subscriptions":["order.*"]}'
const FIELDS = 'webhook { id url enabled subscriptions }'

interface Webhook {
  readonly id: string
  readonly url: string
  readonly enabled: boolean
  readonly subscriptions: readonly string[]
}

function toLine({ id, url, enabled, subscriptions }: Webhook): string {
  return `${id}  ${enabled ? 'enabled ' : 'disabled'}  ${url}  ${subscriptions.join(', ')}`
}

interface CreateOptions extends Options {
  readonly event: readonly string[]
  readonly description?: string
  readonly disabled: boolean
}

function registerCreate(webhook: Command): void {
  withServerOptions(webhook.command('create'), 'the scope webhooks:write')
    .summary('register a webhook, enabled')
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
    .option(...ORGANIZATION)
    .option('--json', JSON_FORM)
    .action(
      async (url: string, { event, description, disabled, json, ...options }: CreateOptions) => {
        await runCommand(async () => {
          const input = { url, eventSubscriptions: event, description, enabled: !disabled }
          const access = await openAccess(options)
          const { webhook } = await run<Changed>(access, CREATE, { input })
          print(json, webhook, toLine(webhook))
        })
      },
    )
}

interface Changed {
  readonly webhook: Webhook
}

const CREATE = `mutation ($input: CreateWebhookInput!) {
  createWebhook(input: $input) {
    ... on CreateWebhookSuccess { ${FIELDS} }
    ... on ValidationError { issues { code } }
    ... on UserError { code message }
  }
}`

function registerList(webhook: Command): void {
  withServerOptions(webhook.command('list'), 'the scope webhooks:read')
    .summary('list the webhooks of the organization')
    .option(...ORGANIZATION)
    .option('--json', 'print an array of webhooks, oldest first')
    .action(async ({ json, ...options }: Options) => {
      await runCommand(async () => {
        const listed = await allPages<Webhook>(await openAccess(options), WEBHOOKS)
        print(json, listed, listed.map(toLine).join('\n') || 'There are no webhooks.')
      })
    })
}

const WEBHOOKS = `query ($after: String) {
  webhooks(first: 100, after: $after) {
    nodes { id url enabled subscriptions }
    pageInfo { hasNextPage endCursor }
  }
}`

function registerEnable(webhook: Command): void {
  withServerOptions(webhook.command('enable'), 'the scope webhooks:write')
    .summary('enable a webhook, or disable it')
    .description(
      'Enables a webhook: it gets deliveries of the events from now on, and those that were parked while it was disabled. Doing so again changes nothing.',
    )
    .argument('<id>', 'the webhook, wh_…')
    .option('--undo', 'disable the webhook: its unfinished deliveries wait', false)
    .option(...ORGANIZATION)
    .option('--json', JSON_FORM)
    .action(async (id: string, { undo, json, ...options }: Options & { undo: boolean }) => {
      await runCommand(async () => {
        const access = await openAccess(options)
        const { webhook } = await run<Changed>(access, ENABLE, { id, enabled: !undo })
        print(json, webhook, toLine(webhook))
      })
    })
}

const ENABLE = `mutation ($id: ID!, $enabled: Boolean!) {
  updateWebhook(id: $id, input: { enabled: $enabled }) {
    ... on UpdateWebhookSuccess { ${FIELDS} }
    ... on UserError { code message }
  }
}`

function registerDelete(webhook: Command): void {
  withServerOptions(webhook.command('delete'), 'the scope webhooks:write')
    .summary('delete a webhook')
    .description(
      'Deletes a webhook and cancels its unfinished deliveries. Its deliveries and attempts stay until the end of their retention.',
    )
    .argument('<id>', 'the webhook, wh_…')
    .option(...ORGANIZATION)
    .option('--json', 'print {"id":"wh_…"}')
    .action(async (id: string, { json, ...options }: Options) => {
      await runCommand(async () => {
        await run(await openAccess(options), DELETE, { id })
        print(json, { id }, `${id} is deleted.`)
      })
    })
}

const DELETE = `mutation ($id: ID!) {
  deleteWebhook(id: $id) {
    ... on DeleteWebhookSuccess { __typename }
    ... on UserError { code message }
  }
}`
