import { builder } from '../graphql/builder.ts'
import { organizationFields, organizationOf } from '../graphql/organization-fields.ts'
import {
  countBySearchKey,
  MAX_COUNTED,
  MAX_PATHS,
  type SearchKeyMatch,
} from './count-by-search-key.ts'

/** A lookup reads an index once for each search key. */
const COMPLEXITY = 100

const SearchKeyMatchRef = builder.objectRef<SearchKeyMatch>('SearchKeyMatch').implement({
  description: 'A search key at which events have a value.',
  fields: (t) => ({
    path: t.exposeString('path', { description: 'The search key, such as `$.order.id`.' }),
    count: t.exposeInt('count', {
      description: `The number of events with the value, at most ${MAX_COUNTED}.`,
    }),
    countIsExact: t.exposeBoolean('exact', {
      description: 'Whether `count` is exact. If not, there are more events.',
    }),
  }),
})

organizationFields((t) => ({
  searchKeyMatches: t.field({
    type: [SearchKeyMatchRef],
    semanticNonNull: true,
    description: `The search keys at which events of the organization have a value, sorted by path: for a value of which nobody knows the key. Tries at most ${MAX_PATHS} search keys of the catalogue. A list and no connection, because it is that short.`,
    authScopes: { scope: 'events:read' },
    complexity: COMPLEXITY,
    args: {
      equals: t.arg.string({
        required: true,
        description:
          'The exact value: a string, a number as it is written in the data, `true` or `false`. A value of more than 200 characters matches nothing.',
      }),
    },
    resolve: (organization, { equals }, context) =>
      countBySearchKey(context.sql, organizationOf(organization, context), equals),
  }),
}))
