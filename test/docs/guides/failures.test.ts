import { expect } from 'vitest'
import { until } from '../../support/until.ts'
import { followGuide } from './support/follow-guide.ts'
import { hoursAgo, useReader } from './support/posthorn.ts'

const posthorn = await useReader()

const since = () => ({ '2026-11-27T12:00:00Z': hoursAgo(2) })

async function areBothExhausted(): Promise<boolean> {
  const query = '{ deliveries(filter: { states: [EXHAUSTED] }) { nodes { id } } }'
  const { data } = await posthorn.graphql(query)
  return data.deliveries.nodes.length === 2
}

followGuide('recovery', posthorn, {
  replace: since,
  after: {
    // A reader looks later than a program.
    Grace: () => until(areBothExhausted, 'both deliveries are exhausted'),
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
