import { builder } from '../graphql/builder.ts'
import { mutation } from '../graphql/mutation.ts'
import { readHeaders, revealHeaders } from './encrypted-headers.ts'

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
    description:
      'The names of the custom headers added to every delivery. Their values may be credentials: only `revealHeaders` returns them, to callers with the scope `secrets:read`, and the audit log has an entry for each call. (REST returns the values to any key with `webhooks:read`, without an entry.) If no encryption key decrypts the headers, one placeholder: set them again.',
    select: { id: true, headersCiphertext: true },
    resolve: ({ id, headersCiphertext }, _args, { webhooks }) =>
      Object.keys(readHeaders(webhooks.keyring, headersCiphertext, id)),
  }),
}))

mutation('revealHeaders', {
  description:
    'Returns the custom headers of a webhook with their values, which may be credentials. Each call is in the audit log, as `custom_headers.revealed`.',
  scope: 'secrets:read',
  id: 'webhook',
  returns: ['headers', ['Header'], 'The headers, in the order they were set in.'],
  run: async ({ id }, { webhooks, actor }, { organizationId }) => {
    const headers = await revealHeaders({ ...webhooks, actor }, organizationId, id)
    return Object.entries(headers).map(([name, value]) => ({ name, value }))
  },
})
