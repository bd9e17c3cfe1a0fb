import { expect } from 'vitest'
import { followGuide } from './support/follow-guide.ts'
import { useReader } from './support/posthorn.ts'

const posthorn = await useReader()

followGuide('embed-the-portal', posthorn, {
  servers: { 'POSTHORN_API_KEY=$(cat .posthorn/api-key) npx node portal-session.ts': 'Listening.' },
  // test/console/portal-element shows this block in a browser.
  shown: ['html'],
  after: {
    'curl -s http://localhost:3000': async (output) => {
      const url = /"url":"(http[^"]+)"/.exec(output)?.[1] ?? ''
      expect((await fetch(url)).status).toBe(200)
    },
  },
})

followGuide('your-own-pages', posthorn, {
  after: {
    'curl -s http://127.0.0.1:4000/graphql': (output) =>
      expect(output).toContain('{"data":{"webhooks":{"nodes":[],'),
  },
})
