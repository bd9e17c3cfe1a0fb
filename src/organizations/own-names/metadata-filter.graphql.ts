import { builder } from '../../graphql/builder.ts'
import type { MetadataEntry } from './metadata.ts'

declare module '../../graphql/builder.ts' {
  interface Inputs {
    MetadataEntry: MetadataEntry
  }
}

builder.inputType('MetadataEntry', {
  description: 'A label of `metadata`.',
  fields: (t) => ({
    key: t.string({ required: true, description: 'The key.' }),
    value: t.string({ required: true, description: 'The whole value.' }),
  }),
})
