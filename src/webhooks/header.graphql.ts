import { builder } from '../graphql/builder.ts'

declare module '../graphql/builder.ts' {
  interface Objects {
    Header: { readonly name: string; readonly value: string }
  }
}

builder.objectType('Header', {
  description: 'One HTTP header.',
  fields: (t) => ({
    name: t.exposeString('name', { description: 'Its name, as it was given.' }),
    value: t.exposeString('value', { description: 'Its value.' }),
  }),
})
