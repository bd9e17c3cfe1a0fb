import { expect } from 'vitest'
import { until } from '../../support/until.ts'
import { followGuide } from './support/follow-guide.ts'
import { hoursAgo, useReader } from './support/posthorn.ts'

const posthorn = await useReader()

const since = () => ({ '2026-11-27T12:00:00Z': hoursAgo(2) })

/** Waits until this number of deliveries has failed. A reader looks later than a program. */
const untilFailed = (count: number) => () =>
  until(async () => {
    const query = '{ deliveries(filter: { states: [EXHAUSTED, RETRYING] }) { nodes { id } } }'
    const { data } = await posthorn.graphql(query)
    return data.deliveries.nodes.length === count
  }, `${count} failed`)

followGuide('recovery', posthorn, {
  replace: since,
  after: {
    Grace: untilFailed(2),
    'redeliver(input: { ids': untilFailed(1),
    'missed: redeliver(': (output) =>
      expect(output).toMatch(/"failed":\{"count":1,"countIsExact":true\}/),
  },
})

async function isFailing(): Promise<boolean> {
  const query = '{ webhooks(filter: { states: [FAILING] }) { nodes { lastFailure { cause } } } }'
  const { data } = await posthorn.graphql(query)
  return data.webhooks.nodes.some(
    ({ lastFailure }: { lastFailure: { cause: string } }) => lastFailure.cause === '503',
  )
}

followGuide('troubleshoot', posthorn, {
  replace: (output) => ({
    ...since(),
    'hooks.example.com': 'localhost',
    ':443': `:${/https:\/\/localhost:(\d+)/.exec(output)?.[1]}`,
  }),
  after: {
    // A reader looks later than a program.
    'npx posthorn publish': () => until(isFailing, 'the webhook is failing'),
    'lastFailure {': (output) => {
      expect(output).toContain('"state":"FAILING"')
      expect(output).toContain('"cause":"503"')
    },
    whyNotDelivered: (output) => expect(output).toContain('"reason":"DELIVERY_EXISTS"'),
    'openssl s_client': (output) => expect(output).toMatch(/notAfter=/),
    'failures(filter:': (output) => expect(output).toContain('"cause":"503","count":1'),
  },
})
