import type { Db } from '../db/client.ts'
import type { WebhookBody } from '../db/generated/prisma/client.ts'
import { readSourceTypes } from '../event-graph/event-schema.ts'
import { selectionProblems } from '../event-graph/selection-problems.ts'

/** What the selection of each version names and the catalogue does not have: sentences. None for a template. */
export async function findBodyProblems(
  db: Db,
  bodies: readonly WebhookBody[],
): Promise<readonly string[][]> {
  const types = bodies.some(({ selection }) => selection !== null) ? await readSourceTypes(db) : []
  return bodies.map(({ selection, plan }) =>
    selection === null || plan === null
      ? []
      : selectionProblems(selection, JSON.parse(plan), types),
  )
}
