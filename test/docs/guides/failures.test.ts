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

followGuide('troubleshoot', posthorn, {
  replace: (output) => ({
    ...since(),
    'hooks.example.com': 'localhost',
    ':443': `:${/https:\/\/localhost:(\d+)/.exec(output)?.[1]}`,
  }),
  after: {
    whyNotDelivered: (output) => expect(output).toContain('"reason":"DELIVERY_EXISTS"'),
    'openssl s_client': (output) => expect(output).toMatch(/notAfter=/),
  },
})
