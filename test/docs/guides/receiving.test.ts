import { expect } from 'vitest'
import { followGuide, LISTENS } from './support/follow-guide.ts'
import { useReader } from './support/posthorn.ts'

const posthorn = await useReader()

followGuide('receive', posthorn, {
  servers: {
    'WEBHOOK_SECRET=whsec_… npx node receiver.ts': 'Listening.',
    'PORT=3000 WEBHOOK_SECRET=whsec_… python3 examples/receivers/receiver.py': LISTENS,
  },
})

followGuide('test-your-receiver', posthorn, {
  servers: { 'WEBHOOK_SECRET=whsec_… npx node my-server.ts': 'Listening.' },
  // test/release/posthorn-package.test.ts runs this one, with the package that it has installed.
  programs: { startPosthorn: () => '' },
  after: {
    'npx node receiver-suite.ts': (output) => expect(output).toMatch(/pass 2/),
  },
})

followGuide('rotate-secrets', posthorn, {
  after: {
    expiringSigningSecrets: (output) =>
      expect(output).toMatch(/"expiringSigningSecrets":\[\{"expiresAt"/),
  },
})

followGuide('chat', posthorn, {
  after: {
    'testBody(': (output) => {
      expect(output).toMatch(
        /"issues":\[\],"bodies":\[\{"body":"\{\\"text\\": ?\\"\S+ has a ticket for/,
      )
    },
    'createWebhook(': (output) => expect(output).toContain('"enabled":false'),
  },
})
