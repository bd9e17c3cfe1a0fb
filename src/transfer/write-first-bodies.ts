import { checkSelection } from '../bodies/choose-body.ts'
import type { Sql } from '../db/client.ts'
import { publicId } from '../db/ids.ts'
import type { SourceType } from '../event-graph/model.ts'
import { SOURCE_TYPES } from '../event-graph/read-source-types.ts'
import { pagesOf } from '../lib/pages-of.ts'
import { compileTemplate } from '../templates/compile-template.ts'

type WebhookRow = Readonly<Record<string, unknown>>

/**
 * Stores the first version of the body of each webhook that has a selection or template. Throws one error that lists those
 * that are invalid here.
 */
export async function writeFirstBodies(sql: Sql, webhooks: readonly WebhookRow[]): Promise<void> {
  const choosing = webhooks.filter((row) => row['body_id'] !== null)
  if (choosing.length === 0) return
  const { rows: types } = await sql.query<SourceType>(SOURCE_TYPES)
  const made = choosing.map((row) => toBodyRow(row, types))
  const problems = made.flatMap(({ problem }) => problem ?? [])
  if (problems.length > 0) throw new Error(['The file cannot be imported:', ...problems].join('\n'))
  for (const page of pagesOf(made.map(({ row }) => row))) {
    await sql.query(
      `insert into posthorn.webhook_bodies (id, organization_id, webhook_id, version, selection, plan, template)
       select id, organization_id, webhook_id, 1, selection, plan, template
       from json_populate_recordset(null::posthorn.webhook_bodies, $1)`,
      [JSON.stringify(page)],
    )
  }
}

function toBodyRow(webhook: WebhookRow, types: readonly SourceType[]) {
  const selection = webhook['selection'] as string | null
  const template = webhook['template'] as string | null
  const compiled =
    selection === null
      ? { plan: null, issues: compileTemplate(template ?? '', ['template']).issues }
      : checkSelection(selection, types)
  const id = webhook['id'] as string
  const [issue] = compiled.issues
  return {
    problem: issue && `webhook ${publicId('webhook', id)}: ${issue.detail}`,
    row: {
      id: webhook['body_id'],
      organization_id: webhook['organization_id'],
      webhook_id: id,
      selection,
      template,
      plan: compiled.plan && JSON.stringify(compiled.plan),
    },
  }
}
