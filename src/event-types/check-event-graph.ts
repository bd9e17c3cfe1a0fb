import { readSourceTypes } from '../bodies/event-graph/event-schema.ts'
import type { SourceType } from '../bodies/event-graph/event-types.ts'
import type { Db } from '../db/client.ts'
import { invalid } from '../lib/errors.ts'
import { SELECTING_WEBHOOKS, type SelectingRow, selectionFindings } from './catalogue/findings.ts'

export interface GraphOptions {
  /** Whether to change the catalogue even if that breaks selections of webhooks. Default: false. */
  readonly acceptBrokenSelections?: boolean | undefined
}

/** Throws `invalid` if the change breaks selections. `after` null: the event type leaves the catalogue. */
export async function checkEventGraph(
  tx: Db,
  name: string,
  after: Omit<SourceType, 'name'> | null,
  { acceptBrokenSelections = false }: GraphOptions,
): Promise<void> {
  if (acceptBrokenSelections) return
  const webhooks = await tx.$queryRawUnsafe<SelectingRow[]>(SELECTING_WEBHOOKS)
  if (webhooks.length === 0) return
  const types = await readSourceTypes(tx)
  const others = types.filter((type) => type.name !== name)
  const next = after === null ? others : [...others, { ...after, name }]
  const findings = await selectionFindings(webhooks, types, next)
  const broken = [...findings.values()].flat()
  if (broken.length === 0) return
  throw invalid(
    broken.map(({ message }) => ({
      path: ['acceptBrokenSelections'],
      code: 'breaks_selection',
      detail: `${message} ${REMEDY}`,
    })),
  )
}

const REMEDY =
  'Change the selection of each of these webhooks first, or set acceptBrokenSelections (--accept-broken-selections on the command line): each webhook then goes on sending what its selection took when it was saved.'
