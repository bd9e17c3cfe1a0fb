import type { GraphQLResolveInfo, ResponsePath } from 'graphql'
import { batched } from '../lib/batch.ts'

export type PerField = <Input, Output>(
  info: GraphQLResolveInfo,
  run: (inputs: Input[]) => Promise<readonly Output[]>,
  organizationId?: string,
) => (input: Input) => Promise<Output>

/**
 * Batches the calls of a field within one request: one call per row of its list becomes one call for all. The calls come
 * from the same place in the document, so they share arguments and selection, and the first `run` serves all of them. A
 * `run` that reads only one organization names it, and serves its rows.
 */
export function createPerField(): PerField {
  const byField = new Map<string, (input: never) => Promise<unknown>>()
  return ((info, run, organizationId = '') => {
    const key = `${info.parentType.name}@${fieldPath(info.path)} ${organizationId}`
    const known = byField.get(key)
    if (known) return known
    const together = batched(run, { gatherMs: 0, maxSize: 1_000 })
    byField.set(key, together)
    return together
  }) as PerField
}

/** `webhooks.nodes.0.deliveries` -> `webhooks.nodes.deliveries` */
function fieldPath(path: ResponsePath | undefined): string {
  const names: string[] = []
  for (let part = path; part; part = part.prev) {
    if (typeof part.key === 'string') names.push(part.key)
  }
  return names.reverse().join('.')
}
