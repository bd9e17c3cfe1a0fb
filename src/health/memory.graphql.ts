import { builder } from '../graphql/builder.ts'
import { isMemoryShort } from '../telemetry/memory.ts'

builder.queryField('memoryIsShort', (t) =>
  t.boolean({
    semanticNonNull: true,
    description:
      'Whether the API process that answers is short of memory: more than 70 % of its heap is in use after a full collection. Large requests then fail, and the API may be started again. Raise POSTHORN_MAX_HEAP_MB, or start more processes.',
    authScopes: { scope: 'admin' },
    resolve: isMemoryShort,
  }),
)
