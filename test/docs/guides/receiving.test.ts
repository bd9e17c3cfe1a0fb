import { expect } from 'vitest'
import { followGuide } from './support/follow-guide.ts'
import { useReader } from './support/posthorn.ts'

const posthorn = await useReader()

followGuide('receive', posthorn, {
  servers: {
    'WEBHOOK_SECRET=whsec_… npx node receiver.ts': 'Listening.',
  },
  // The receiver that `listen` is answers challenges.
  replace: (output) => ({
    'https://receiver.example.com/hooks': output.match(/https:\/\/localhost:\d+\//g)?.at(-1) ?? '',
  }),
  after: {
    'expiringSigningSecrets {': (output) =>
      expect(output).toMatch(/"expiringSigningSecrets":\[\{"expiresAt"/),
    'verifyEndpoint: true': (output) => expect(output).toMatch(/"endpointVerifiedAt":"20/),
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
