import { builder } from '../graphql/builder.ts'

builder.objectType('Header', {
  description: 'One HTTP header.',
  fields: (t) => ({
    name: t.exposeString('name', { description: 'Its name, as it was given.' }),
    value: t.exposeString('value', { description: 'Its value.' }),
  }),
})
