import { beforeAll, expect } from 'vitest'
import { until } from '../../support/until.ts'
import { call, createWebhook, untilCount } from '../support/call.ts'
import { open, openDesk, page, server, story } from '../support/desk.ts'
import { expectUsable } from '../support/layout.ts'

const TYPE = 'order.updated'
const BEFORE =
  '{"id":7,"status":"open","note":"Call before noon","lines":[{"sku":"A-1","price":10.50}]}'
const AFTER =
  '{"id":7,"status":"paid","lines":[{"sku":"A-1","price":10.75}],"customer":{"email":"ada@example.com"}}'

openDesk()

beforeAll(async () => {
  const type = { name: TYPE, description: 'An order was changed.', example: JSON.parse(AFTER) }
  await call(server, 'createEventType', { input: type })
  await createWebhook(server, { eventSubscriptions: [TYPE], enabled: true })
})

async function publish(dataText: string, previousText?: string): Promise<string> {
  const input = { type: TYPE, dataText, previousText }
  const fields = 'publishedEvent { id }'
  return (await call(server, 'publishEvent', { input }, fields)).publishedEvent.id
}

const difference = () => page.getByRole('region', { name: 'Changed lines' })

async function expectDifference() {
  await difference().getByText('"paid"').waitFor()
  expect((await difference().innerText()).split('\n').map((line) => line.trimEnd())).toEqual([
    '  {',
    '    "id": 7,',
    '−   "status": "open",',
    '−   "note": "Call before noon",',
    '+   "status": "paid",',
    '    "lines": [',
    '      {',
    '        "sku": "A-1",',
    '−       "price": 10.50',
    '+       "price": 10.75',
    '      }',
    '−   ]',
    '+   ],',
    '+   "customer": {',
    '+     "email": "ada@example.com"',
    '+   }',
    '  }',
  ])
}

story('the pages of an event and of its delivery show what has changed', async () => {
  const eventId = await publish(AFTER, BEFORE)
  await open(`/events/${eventId}`)
  await expectDifference()
  await expectUsable(page)

  const deliveries = 'query ($id: ID!) { event(id: $id) { deliveries { nodes { id } } } }'
  let deliveryId: string | undefined
  await until(async () => {
    const { event } = await server.graphql(deliveries, { id: eventId })
    deliveryId = event.deliveries.nodes[0]?.id
    return deliveryId !== undefined
  }, 'the event has a delivery')
  await open(`/deliveries/${deliveryId}`)
  await expectDifference()
})

story('without previous data there is no section; without a difference it says so', async () => {
  await open(`/events/${await publish(AFTER)}`)
  await page.getByRole('heading', { name: 'Payload' }).waitFor()
  expect(await page.getByRole('heading', { name: 'What has changed' }).count()).toBe(0)
  await open(`/events/${await publish('{"n":1}', '{ "n": 1 }')}`)
  await page.getByText('Nothing differs.').waitFor()
})

story('the list offers new events, and the page of one says why a webhook has none', async () => {
  await open('/events')
  await publish('{"id":8}')
  await page.getByRole('button', { name: '1 new, show it' }).click()
  await page.getByText('{"id":8}').waitFor()
  await page.getByRole('button', { name: '1 new, show it' }).waitFor({ state: 'hidden' })
  const later = await createWebhook(server, { eventSubscriptions: [TYPE], enabled: true })
  await page.getByRole('link', { name: '{"id":8}' }).click()
  await page.getByText(`No delivery to ${later}: `).waitFor()
})

/** One more than a request may name. */
const MANY = 101

story('one click redelivers all deliveries of an event that failed, however many', async () => {
  const type = { name: 'order.lost', description: 'An order was lost.' }
  await call(server, 'createEventType', { input: type })
  server.receiver.answer = (response) => response.writeHead(500).end()
  const input = { eventSubscriptions: [type.name], enabled: true, retryScheduleSeconds: [] }
  for (let made = 0; made < MANY; made++) await createWebhook(server, input)
  const event = { type: type.name, dataText: '{}' }
  const fields = 'publishedEvent { id }'
  const { publishedEvent } = await call(server, 'publishEvent', { input: event }, fields)
  const failed = { eventTypes: [type.name], states: ['EXHAUSTED'] }
  await untilCount(server, failed, MANY)
  server.receiver.answer = (response) => response.end()
  await open(`/events/${publishedEvent.id}`)
  await page.getByRole('button', { name: `Redeliver the ${MANY} failed` }).click()
  const dialog = page.getByRole('dialog', { name: `Redeliver ${MANY} deliveries?` })
  await dialog.getByRole('button', { name: 'Redeliver' }).click()
  await page.getByText(`${MANY} queued`).waitFor()
  await untilCount(server, failed, 0)
})
