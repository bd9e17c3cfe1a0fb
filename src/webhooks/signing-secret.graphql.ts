import { builder } from '../graphql/builder.ts'
import { callerOf } from '../graphql/context.ts'
import { NotFoundError } from '../graphql/errors.ts'
import { changesNode } from '../graphql/portal-access.ts'
import { rotateSigningSecret, type SigningSecret } from './signing-secret.ts'
import { currentSecret, expiringSecrets } from './valid-secrets.ts'

declare module '../graphql/builder.ts' {
  interface Objects {
    SigningSecret: SigningSecret
  }
}

builder.objectType('SigningSecret', {
  description: 'A key that signs, or until its rotation signed, the deliveries to one webhook.',
  fields: (t) => ({
    key: t.exposeString('key', {
      description: 'The key: `whsec_` and base64. Give it to the receiver only.',
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it was made.' }),
    expiresAt: t.expose('expiresAt', {
      type: 'DateTime',
      nullable: true,
      description:
        'Null for the secret that signs. For one that was rotated out: 24 hours after that, when it is erased.',
    }),
  }),
})

builder.prismaObjectFields('Webhook', (t) => ({
  signingSecret: t.field({
    type: 'SigningSecret',
    nullable: true,
    description: 'The secret that signs every attempt. Needs the scope `secrets:read`.',
    authScopes: { scope: 'secrets:read' },
    select: { signingSecrets: true },
    resolve: ({ signingSecrets }, _args, { webhooks }) =>
      currentSecret(webhooks.keyring, signingSecrets),
  }),
  expiringSigningSecrets: t.field({
    type: ['SigningSecret'],
    nullable: true,
    description:
      'The secrets that were rotated out less than 24 hours ago, newest first: they sign nothing any more, and receivers may still accept them. Needs the scope `secrets:read`.',
    authScopes: { scope: 'secrets:read' },
    select: { signingSecrets: true },
    resolve: ({ signingSecrets }, _args, { webhooks }) =>
      expiringSecrets(webhooks.keyring, signingSecrets),
  }),
}))

builder.mutationField('rotateSigningSecret', (t) =>
  t.field({
    type: 'SigningSecret',
    nullable: true,
    description:
      'Makes a new signing secret for a webhook. From now on it alone signs, retries included; the old one stays valid for 24 hours, for receivers to change over. Needs the scope `secrets:rotate`.',
    authScopes: { scope: 'secrets:rotate' },
    portal: changesNode('webhook', ({ webhookId }) => webhookId),
    errors: {
      types: [NotFoundError],
      dataField: { name: 'signingSecret', description: 'The new secret.' },
      result: { description: 'The secret was rotated.' },
      union: { description: 'What `rotateSigningSecret` answers with.' },
    },
    args: {
      webhookId: t.arg.id({ required: true, description: 'The id of the webhook: `wh_…`.' }),
    },
    resolve: (_root, { webhookId }, context) =>
      rotateSigningSecret(
        { ...context.webhooks, actor: context.actor },
        callerOf(context).organizationId,
        webhookId,
      ),
  }),
)
