import { beforeAll, expect, test } from 'vitest'
import { verify } from '../../src/receiver/verify.ts'
import { createWebhook } from '../scheduling/support/backlog.ts'
import { useTestApp } from '../support/app.ts'
import { startReceiver } from '../support/receiver.ts'
import { until } from '../support/until.ts'
import { useResource } from '../support/use-resource.ts'
import { templateText } from '../templates/support/limits.ts'
import { switchOn } from './support/alerts.ts'

const ON_HOLD = 'posthorn.webhook.on_hold'
const RECOVERED = 'posthorn.webhook.recovered'
const EXHAUSTED = 'posthorn.delivery.exhausted'

const receiver = await useResource(startReceiver())
const posthorn = await useTestApp({
  trustedAuthorities: [receiver.authority],
  environment: { POSTHORN_RETRY_SCHEDULE: '' },
})
beforeAll(() => switchOn(posthorn))

const createChannel = (target: string, change = (text: string) => text) =>
  createWebhook(posthorn, `${receiver.url}${target}`, {
    eventSubscriptions: [ON_HOLD, RECOVERED, EXHAUSTED],
    template: change(templateText(target)),
  })

async function tell(webhookId: string, type: string): Promise<void> {
  await posthorn.database.pool.query(
    `select posthorn.alert(w.organization_id, w.id, $2, '{"last_error": "<!channel> 503"}')
     from posthorn.webhooks as w where posthorn.type_id('wh', w.id) = $1`,
    [webhookId, type],
  )
}

const received = (path: string) => receiver.received.filter((one) => one.path === `/${path}`)

test('a webhook on hold is told in each channel in its form, signed, and its recovery resolves the alert', async () => {
  const slackId = await createChannel('slack')
  // The changes that docs/guides/alerts.md advises.
  await createChannel('pagerduty', (text) =>
    text
      .replace('"trigger"', '"{{ data.alert.action }}"')
      .replace('{{ event.id }}', '{{ data.alert.key }}')
      .replace('"info"', '"{{ data.alert.severity }}"'),
  )
  const description = 'Ticketing'
  const webhookId = await createWebhook(posthorn, `${receiver.url}endpoint`, { description })
  await tell(webhookId, ON_HOLD)
  await until(() => received('slack').length === 1, 'Slack is told')
  const [message] = received('slack')
  if (!message) throw new Error('There is no message.')
  const { text, blocks } = JSON.parse(message.body.toString())
  expect(text).toBe(ON_HOLD)
  expect(blocks[1].text).toEqual({
    type: 'plain_text',
    text: 'The webhook Ticketing at localhost is on hold: its deliveries wait until the endpoint responds again.',
    emoji: false,
  })
  expect(blocks[2].text).toMatchObject({ type: 'plain_text' })
  expect(blocks[2].text.text).toContain('<!channel> 503')
  const secret = await posthorn.rest('GET', `/webhooks/${slackId}/secret`)
  const { key } = (await secret.json()) as { key: string }
  expect(await verify(message.body, message.headers, key)).toMatchObject({ ok: true })

  // Deliveries to one webhook have no order while they are in flight.
  await until(() => received('pagerduty').length === 1, 'PagerDuty is told')
  await tell(webhookId, RECOVERED)
  await until(() => received('pagerduty').length === 2, 'PagerDuty is told twice')
  const alerts = received('pagerduty').map(({ body }) => JSON.parse(body.toString()))
  expect(
    alerts.map(({ event_action, dedup_key, payload }) => [
      event_action,
      dedup_key,
      payload.severity,
    ]),
  ).toEqual([
    ['trigger', webhookId, 'critical'],
    ['resolve', webhookId, 'info'],
  ])
})
