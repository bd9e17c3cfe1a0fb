import type { SearchKey } from '../event-types/search-key.ts'
import { builder } from '../graphql/builder.ts'

declare module '../graphql/builder.ts' {
  interface Inputs {
    SearchKeyFilter: SearchKey
  }
}

builder.inputType('SearchKeyFilter', {
  description: 'Selects events by a value in their data.',
  fields: (t) => ({
    path: t.string({
      required: true,
      description: 'A search key of an event type, such as `$.order.id`.',
    }),
    equals: t.string({
      required: true,
      description:
        'The exact value at the path: a string, a number as it is written in the data, `true` or `false`. At most 200 characters.',
    }),
  }),
})
