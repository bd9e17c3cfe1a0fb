import type { Db } from '../db/client.ts'
import { mintUuid } from '../db/ids.ts'
import { type FieldIssue, fieldIssue } from '../lib/errors.ts'
import { compileSelection } from './event-graph/compile-selection.ts'
import { readSourceTypes } from './event-graph/event-schema.ts'
import { compileTemplate } from './templates/template.ts'

/** What a caller chooses for the body of a webhook. Undefined: as before. */
export interface BodyChoice {
  /** GraphQL on the event graph. Null: none. */
  readonly selection?: string | null | undefined
  /** JSON with Liquid in its strings. Null: none. */
  readonly template?: string | null | undefined
}

/** A checked choice: at most one of the texts, and what is stored of a selection. */
export interface ChosenBody {
  readonly selection: string | null
  readonly template: string | null
  /** JSON. */
  readonly plan: string | null
}

export const WHOLE_EVENT: ChosenBody = { selection: null, template: null, plan: null }

interface Choice {
  /** Null if there are issues. */
  readonly body: ChosenBody | null
  readonly issues: readonly FieldIssue[]
}

/** Checks a choice. A selection replaces a template, and a template a selection. */
export async function chooseBody(db: Db, { selection, template }: BodyChoice): Promise<Choice> {
  if (typeof selection === 'string' && typeof template === 'string') {
    const rule = 'is given beside selection. Send one of them.'
    return { body: null, issues: [fieldIssue(['template'], 'ambiguous', rule)] }
  }
  if (typeof selection === 'string') return await chooseSelection(db, selection)
  if (typeof template !== 'string') return { body: WHOLE_EVENT, issues: [] }
  const { template: compiled, issues } = compileTemplate(template, ['template'])
  return { issues, body: compiled && { ...WHOLE_EVENT, template } }
}

async function chooseSelection(db: Db, selection: string): Promise<Choice> {
  const { plan, issues } = compileSelection(selection, await readSourceTypes(db))
  return {
    body: plan && { selection, template: null, plan: JSON.stringify(plan) },
    issues: issues.map(({ message, locations }) => {
      const [{ line, column } = { line: 2, column: 1 }] = locations ?? []
      const rule = `is invalid at line ${line - 1}, column ${column}: ${message}`
      return fieldIssue(['selection'], 'invalid_value', rule)
    }),
  }
}

/** The columns of a webhook with a new version of its body. */
export function bodyColumns({ selection, template }: ChosenBody) {
  const bodyId = selection === null && template === null ? null : mintUuid()
  return { selection, template, bodyId }
}

interface VersionedWebhook {
  readonly id: string
  readonly organizationId: string
  readonly bodyId: string | null
}

/** Stores the version that the columns of a webhook name. The webhook is locked or new. */
export async function addBodyVersion(
  tx: Db,
  { id: webhookId, organizationId, bodyId }: VersionedWebhook,
  body: ChosenBody,
): Promise<void> {
  if (bodyId === null) return
  const { _max: newest } = await tx.webhookBody.aggregate({
    where: { webhookId },
    _max: { version: true },
  })
  await tx.webhookBody.create({
    data: { id: bodyId, organizationId, webhookId, version: (newest.version ?? 0) + 1, ...body },
  })
}
