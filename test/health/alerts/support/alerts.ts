import type { Sql } from '../../../../src/db/client.ts'
import { createApiKey } from '../../../support/api-keys.ts'
import type { TestApp } from '../../../support/app.ts'
import { postGraphql } from '../../../support/post-graphql.ts'

/** Switches operational events on as an operator. Returns the token of the operator. */
export async function switchOn(
  { app, database, tenant }: TestApp,
  operatorOrganizationId?: string | null,
): Promise<string> {
  const { token } = await createApiKey(database.prisma, {
    organizationId: tenant.organizationId,
    scopes: ['admin'],
  })
  await setOperationalEvents(app.url, token, { enabled: true, operatorOrganizationId })
  return token
}

export async function setOperationalEvents(url: string, token: string, input: object) {
  const query = `mutation ($input: SetOperationalEventsInput!) { setOperationalEvents(input: $input) {
    ... on SetOperationalEventsSuccess { operationalEvents { enabled operatorOrganization { id } } }
    ... on NotFoundError { message }
  } }`
  return await postGraphql(url, token, query, { input })
}

export interface PublishedAlert {
  readonly type: string
  readonly organizationId: string
  // biome-ignore lint/suspicious/noExplicitAny: the data depends on the type
  readonly data: any
}

/** The operational events of all organizations, oldest first. */
export async function findAlerts(sql: Sql): Promise<PublishedAlert[]> {
  const { rows } = await sql.query<PublishedAlert>(
    `select type, organization_id as "organizationId", data::json from posthorn.events
     where type like 'posthorn.%' order by id`,
  )
  return rows
}

/** Runs the task of each minute now. */
export async function runSendAlerts(sql: Sql): Promise<void> {
  await sql.query(
    `select posthorn.enqueue('send_alerts', '{}', 'posthorn:send_alerts', queue := 'posthorn:send_alerts')`,
  )
}
