import { afterAll, beforeAll, expect } from 'vitest'
import { followGuide } from './support/follow-guide.ts'
import { type GuideReader, startReader } from './support/posthorn.ts'

let posthorn: GuideReader

beforeAll(async () => {
  posthorn = await startReader()
})
afterAll(async () => {
  await posthorn?.[Symbol.asyncDispose]()
})

followGuide('embed-the-portal', () => posthorn, {
  servers: { 'PORTAL_KEY=$(cat .posthorn/api-key) node portal-session.ts': 'Listening.' },
  // The element runs in a browser in test/console/portal.
  shown: ['html'],
  after: {
    'curl -s http://localhost:3000': async (output) => {
      const url = /"url":"(http[^"]+)"/.exec(output)?.[1] ?? ''
      expect((await fetch(url)).status).toBe(200)
    },
  },
})

followGuide('your-own-pages', () => posthorn, {
  after: {
    'curl -s http://127.0.0.1:4000/graphql': (output) => {
      expect(output).toContain('{"data":{"webhooks":{"nodes":[],')
    },
  },
})
