import { type Command, Option } from 'commander'
import { run } from './api.ts'
import { print, runCommand } from './run-command.ts'
import { ORGANIZATION, openAccess, type ServerOptions, withServerOptions } from './server-access.ts'

interface Options extends ServerOptions {
  readonly json?: boolean
}

/** `posthorn delivery list` and `redeliver`. */
export function registerDelivery(program: Command): void {
  const delivery = program.command('delivery').summary('list and redeliver deliveries')
  registerList(delivery)
  registerRedeliver(delivery)
}

const FIELDS = 'id state attemptCount createdAt webhookId eventType { name }'

interface Delivery {
  readonly id: string
  readonly state: string
  readonly attemptCount: number
  readonly createdAt: string
  readonly webhookId: string
  readonly eventType: { readonly name: string }
}

function toJson({ id, state, attemptCount, createdAt, webhookId, eventType }: Delivery) {
  const of = { webhook: webhookId, event_type: eventType.name }
  return { id, state: state.toLowerCase(), attempts: attemptCount, created_at: createdAt, ...of }
}

function toLine({ id, state, attemptCount, createdAt, webhookId, eventType }: Delivery): string {
  const attempts = `attempts: ${attemptCount}`
  return [id, state.toLowerCase(), attempts, createdAt, webhookId, eventType.name].join('  ')
}

interface ListOptions extends Options {
  readonly state?: string
  readonly webhook?: string
  readonly event?: string
}

function registerList(delivery: Command): void {
  withServerOptions(delivery.command('list'), 'the scope deliveries:read')
    .summary('list the newest deliveries')
    .description('Lists the newest 20 deliveries, newest first.')
    .addOption(new Option('--state <state>', 'only those in this state').choices(STATES))
    .option('--webhook <id>', 'only those to this webhook, wh_…')
    .option('--event <type>', 'only those of events of this type')
    .option(...ORGANIZATION)
    .option(
      '--json',
      'print an array of {"id":"msg_…","state":"succeeded","attempts":1,"created_at":"…","webhook":"wh_…","event_type":"…"}',
    )
    .action(async ({ state, webhook, event, json, ...options }: ListOptions) => {
      await runCommand(async () => {
        const filter = {
          ...(state && { states: [state.toUpperCase()] }),
          ...(webhook && { webhookIds: [webhook] }),
          ...(event && { eventTypes: [event] }),
        }
        const access = await openAccess(options)
        const { nodes } = await run<{ nodes: Delivery[] }>(access, DELIVERIES, { filter })
        const lines = nodes.map(toLine).join('\n')
        print(json, nodes.map(toJson), lines || 'There are no such deliveries.')
      })
    })
}

const STATES = ['queued', 'retrying', 'waiting', 'succeeded', 'exhausted', 'canceled']

const DELIVERIES = `query ($filter: DeliveryFilter) {
  deliveries(first: 20, filter: $filter) { nodes { ${FIELDS} } }
}`

function registerRedeliver(delivery: Command): void {
  withServerOptions(delivery.command('redeliver'), 'the scope deliveries:write')
    .summary('send deliveries again now')
    .description(
      'Sends deliveries again now, with the same id and body. Their state does not matter.',
    )
    .argument('<id...>', 'at most 100 deliveries, msg_…')
    .option(...ORGANIZATION)
    .option('--json', 'print an array of deliveries, as list does')
    .action(async (ids: string[], { json, ...options }: Options) => {
      await runCommand(async () => {
        type Redelivered = { deliveries: Delivery[] }
        const { deliveries } = await run<Redelivered>(await openAccess(options), REDELIVER, { ids })
        print(json, deliveries.map(toJson), deliveries.map(toLine).join('\n'))
      })
    })
}

const REDELIVER = `mutation ($ids: [ID!]!) {
  redeliver(input: { ids: $ids }) {
    ... on RedeliverSuccess { deliveries { ${FIELDS} } }
    ... on UserError { code message }
  }
}`

/** `posthorn test`: sends the example of an event type to one webhook. */
export function registerTest(program: Command): void {
  withServerOptions(program.command('test'), 'the scope webhooks:write')
    .summary('send a test event to one webhook')
    .description(
      'Sends the example of an event type to one webhook, signed, with the header wh-test: true. posthorn delivery list shows the result.',
    )
    .argument('<webhook>', 'the webhook, wh_…')
    .argument('<type>', 'an event type that the webhook subscribes to, with an example')
    .option(...ORGANIZATION)
    .option('--json', 'print the delivery, as posthorn delivery list does')
    .action(async (id: string, eventType: string, { json, ...options }: Options) => {
      await runCommand(async () => {
        const access = await openAccess(options)
        const { delivery } = await run<{ delivery: Delivery }>(access, TEST, { id, eventType })
        print(json, toJson(delivery), toLine(delivery))
      })
    })
}

const TEST = `mutation ($id: ID!, $eventType: String!) {
  testDelivery(id: $id, input: { eventType: $eventType }) {
    ... on TestDeliverySuccess { delivery { ${FIELDS} } }
    ... on UserError { code message }
  }
}`
