import { afterAll, beforeAll, expect } from 'vitest'
import { followGuide } from './support/follow-guide.ts'
import { hoursAgo } from './support/hours-ago.ts'
import { type GuideReader, startReader } from './support/posthorn.ts'

let posthorn: GuideReader

beforeAll(async () => {
  posthorn = await startReader()
})
afterAll(async () => {
  await posthorn?.[Symbol.asyncDispose]()
})

const since = () => ({ '2026-11-27T12:00:00Z': hoursAgo(2) })

followGuide('recover-after-an-outage', () => posthorn, {
  replace: since,
  after: {
    'dryRun: true }\n  ) {\n    ... on RecoverDeliveriesSuccess': (output) => {
      expect(output).toMatch(/"recoverDeliveries":\{"count":1,"countIsExact":true\}/)
    },
  },
})

followGuide('troubleshoot', () => posthorn, {
  replace: (output) => ({
    ...since(),
    'hooks.example.com': 'localhost',
    ':443': `:${/https:\/\/localhost:(\d+)/.exec(output)?.[1]}`,
  }),
  after: {
    whyNotDelivered: (output) => {
      expect(output).toContain('"reason":"DELIVERY_EXISTS"')
    },
    'openssl s_client': (output) => {
      expect(output).toMatch(/notAfter=/)
    },
  },
})
