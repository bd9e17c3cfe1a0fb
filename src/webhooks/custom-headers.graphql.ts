import { builder } from '../graphql/builder.ts'
import { callerOf } from '../graphql/context.ts'
import { ConflictError, NotFoundError, resultOf } from '../graphql/errors.ts'
import { changesNode } from '../graphql/portal-access.ts'
import { readHeaders } from './encrypted-headers.ts'
import { revealHeaders } from './reveal-headers.ts'

declare module '../graphql/builder.ts' {
  interface Objects {
    Header: { readonly name: string; readonly value: string }
  }
}

builder.objectType('Header', {
  description: 'An HTTP header.',
  fields: (t) => ({
    name: t.exposeString('name', { description: 'The name.' }),
    value: t.exposeString('value', { description: 'The value.' }),
  }),
})

builder.prismaObjectFields('Webhook', (t) => ({
  headerNames: t.stringList({
    nullable: true,
    description:
      'The names of the custom headers added to every delivery. Their values may be credentials: only `revealHeaders` returns them, to callers with the scope `secrets:read`, and the audit log has an entry for each call. (REST returns the values to any key with `webhooks:read`, without an entry.) Null if no encryption key decrypts the headers: set them again.',
    select: { id: true, headersCiphertext: true },
    resolve: ({ id, headersCiphertext }, _args, { webhooks }) => {
      const headers = readHeaders(webhooks.keyring, headersCiphertext, id)
      return headers && Object.keys(headers)
    },
  }),
}))

builder.mutationField('revealHeaders', (t) =>
  t.field({
    type: ['Header'],
    description:
      'Returns the custom headers of a webhook with their values, which may be credentials. Each call is in the audit log, as `custom_headers.revealed`.',
    authScopes: { scope: 'secrets:read' },
    portal: changesNode('webhook'),
    errors: resultOf('headers', 'The headers, in the order they were set in.', [
      NotFoundError,
      ConflictError,
    ]),
    args: {
      id: t.arg.id({ required: true, description: 'The id of the webhook: `wh_…`.' }),
    },
    resolve: async (_root, { id }, context) => {
      const headers = await revealHeaders(
        { ...context.webhooks, actor: context.actor },
        callerOf(context).organizationId,
        id,
      )
      return Object.entries(headers).map(([name, value]) => ({ name, value }))
    },
  }),
)
