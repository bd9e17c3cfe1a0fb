import { builder } from './builder.ts'

builder.queryType({
  description: 'What can be read. All of it belongs to the organization of the API key.',
})

builder.mutationType({
  description:
    'What can be done. What the caller can do something about is answered as data, in a union beside the success. Only a POST of `application/json` is accepted.',
})
