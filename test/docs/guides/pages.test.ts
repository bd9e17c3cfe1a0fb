import { expect } from 'vitest'
import { followGuide } from './support/follow-guide.ts'
import { useReader } from './support/posthorn.ts'

const posthorn = await useReader()

followGuide('portal', posthorn, {
  servers: { 'POSTHORN_API_KEY=$(cat .posthorn/api-key) npx node portal-session.ts': 'Listening.' },
  // test/console/portal-element shows this block in a browser.
  shown: ['html'],
  after: {
    'curl -s http://localhost:3000': async (output) => {
      const url = [...output.matchAll(/"url":"(http[^"]+)"/g)].at(-1)?.[1] ?? ''
      expect((await fetch(url)).status).toBe(200)
    },
  },
})

const FOLLOW =
  'curl -sN http://127.0.0.1:4000/graphql/events -H "authorization: Bearer $POSTHORN_API_KEY" -H \'content-type: application/json\' -H \'accept: text/event-stream\' -d \'{"query": "subscription { events(types: [\\"event_attendee.*\\"]) { cursor type data } }"}\''

followGuide('frontends', posthorn, {
  // The stream begins with a comment.
  servers: { [FOLLOW]: ':' },
  replace: (output) => ({ 'lease_…': /lease_\w+/.exec(output)?.[0] ?? '' }),
  after: {
    acknowledge: (output) => expect(output).toMatch(/"acknowledged": ?[1-9]/),
  },
})
