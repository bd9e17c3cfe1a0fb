import { type Command, Option } from 'commander'
import { mutation, run } from './api.ts'
import { printedRow, printedTable, type Row } from './command.ts'
import { call, withOrganization } from './server-command.ts'

const FIELDS =
  'id state attempts: attemptCount created_at: createdAt webhook: webhookId eventType { name }'

const COLUMNS = ['id', 'state', 'attempts', 'created_at', 'webhook', 'event_type']

interface Delivery extends Row {
  readonly state: string
  readonly eventType: { readonly name: string }
}

function shown({ eventType, ...delivery }: Delivery) {
  return { ...delivery, state: delivery.state.toLowerCase(), event_type: eventType.name }
}

const printed = (deliveries: readonly Delivery[]) =>
  printedTable(deliveries.map(shown), COLUMNS, 'There are no such deliveries.')

interface ListOptions {
  readonly state?: string
  readonly webhook?: string
  readonly event?: string
}

/** `posthorn delivery list` and `redeliver`. */
export function registerDelivery(program: Command): void {
  const delivery = program.command('delivery').description('Lists and redelivers deliveries.')
  withOrganization(delivery.command('list'), 'the scope deliveries:read')
    .description('Lists the newest 20 deliveries, newest first.')
    .addOption(new Option('--state <state>', 'only those in this state').choices(STATES))
    .option('--webhook <id>', 'only those to this webhook, wh_…')
    .option('--event <type>', 'only those of events of this type')
    .option(
      '--json',
      'print an array of {"id":"msg_…","state":"succeeded","attempts":1,"created_at":"…","webhook":"wh_…","event_type":"…"}',
    )
    .action(
      call(async (client, { state, webhook, event }: ListOptions) => {
        const filter = {
          ...(state && { states: [state.toUpperCase()] }),
          ...(webhook && { webhookIds: [webhook] }),
          ...(event && { eventTypes: [event] }),
        }
        return printed((await run<{ nodes: Delivery[] }>(client, DELIVERIES, { filter })).nodes)
      }),
    )
  withOrganization(delivery.command('redeliver'), 'the scope deliveries:write')
    .description(
      'Sends deliveries again now, with the same id and body. Their state does not matter.',
    )
    .argument('<id...>', 'at most 100 deliveries, msg_…')
    .option('--json', 'print an array of deliveries, as list does')
    .action(
      call(async (client, ids: string[]) => {
        type Redelivered = { deliveries: Delivery[] }
        return printed((await run<Redelivered>(client, REDELIVER, { ids })).deliveries)
      }),
    )
}

const STATES = ['queued', 'retrying', 'waiting', 'succeeded', 'exhausted', 'canceled']

const DELIVERIES = `query ($filter: DeliveryFilter) {
  deliveries(first: 20, filter: $filter) { nodes { ${FIELDS} } }
}`

const REDELIVER = mutation(
  'redeliver(input: { ids: $ids })',
  '$ids: [ID!]!',
  `deliveries { ${FIELDS} }`,
)

/** `posthorn test`: sends the example of an event type to one webhook. */
export function registerTest(program: Command): void {
  withOrganization(program.command('test'), 'the scope webhooks:write')
    .description(
      'Sends the example of an event type to one webhook, signed, with the header wh-test: true. posthorn delivery list shows the result.',
    )
    .argument('<webhook>', 'the webhook, wh_…')
    .argument('<type>', 'an event type that the webhook subscribes to, with an example')
    .option('--json', 'print the delivery, as posthorn delivery list does')
    .action(
      call(async (client, id: string, eventType: string) => {
        const { delivery } = await run<{ delivery: Delivery }>(client, TEST, { id, eventType })
        return printedRow(shown(delivery), COLUMNS)
      }),
    )
}

const TEST = mutation(
  'testDelivery(id: $id, input: { eventType: $eventType })',
  '$id: ID!, $eventType: String!',
  `delivery { ${FIELDS} }`,
)
