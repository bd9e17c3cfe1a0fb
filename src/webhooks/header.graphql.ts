import { builder } from '../graphql/builder.ts'

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
