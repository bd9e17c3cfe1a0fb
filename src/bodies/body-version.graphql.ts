import type { Db } from '../db/client.ts'
import type { WebhookBody } from '../db/generated/prisma/client.ts'
import { builder } from '../graphql/builder.ts'
import { LARGE_TEXT } from '../graphql/limits/document-limits.ts'
import { readBodies } from './body.ts'
import { selectionProblems } from './event-graph/compile-selection.ts'
import { readSourceTypes } from './event-graph/event-schema.ts'

type Version = Pick<WebhookBody, 'selection' | 'plan'>

builder.prismaObject('WebhookBody', {
  name: 'BodyVersion',
  description:
    'What the deliveries of a webhook contain instead of the whole event. A version never changes: a webhook with another selection or template has another version.',
  fields: (t) => ({
    version: t.exposeInt('version', {
      description: 'Counts the versions of the webhook, from 1.',
    }),
    selection: t.exposeString('selection', {
      nullable: true,
      description: 'The GraphQL that selects the data. Null for a template.',
    }),
    template: t.exposeString('template', {
      nullable: true,
      description: 'The template of the body. Null for a selection.',
    }),
    createdAt: t.expose('createdAt', {
      type: 'DateTime',
      description: 'When the webhook got this version.',
    }),
    problems: t.stringList({
      description:
        'What the selection names and the catalogue no longer has, one sentence each. The deliveries go on as before: a value that is missing is null.',
      select: { selection: true, plan: true },
      resolve: (body, _args, { perField, prisma }, info) =>
        perField(info, (bodies: Version[]) => findBodyProblems(prisma, bodies))(body),
    }),
  }),
})

builder.prismaObjectFields('Webhook', (t) => ({
  selection: t.exposeString('selection', {
    nullable: true,
    description: 'The GraphQL that selects the `data` of deliveries. Null: none.',
  }),
  template: t.exposeString('template', {
    nullable: true,
    description: 'JSON with Liquid in its strings: the body of deliveries, or null.',
  }),
  bodyVersion: t.relation('body', {
    nullable: true,
    description: 'What new deliveries contain. Null: the whole event.',
  }),
}))

builder.prismaObjectFields('Delivery', (t) => ({
  body: t.string({
    nullable: true,
    description:
      'The exact request body that every attempt signs and sends. Null once the event is past its retention, erased, or not kept: `payloadState` says which.',
    complexity: LARGE_TEXT,
    authScopes: { scope: 'events:read' },
    resolve: ({ id }, _args, { perField, sql }, info) =>
      perField(info, (uuids: string[]) => readBodies(sql, uuids))(id),
  }),
  bodyVersion: t.relation('body', {
    nullable: true,
    description:
      'What the delivery contains: the version of the webhook when the delivery was created. Retries and redeliveries keep it. Null: the whole event.',
  }),
}))

/** What the selection of each version names and the catalogue does not have: sentences. None for a template. */
async function findBodyProblems(db: Db, bodies: readonly Version[]): Promise<readonly string[][]> {
  const types = bodies.some(({ selection }) => selection !== null) ? await readSourceTypes(db) : []
  return bodies.map(({ selection, plan }) =>
    selection === null || plan === null
      ? []
      : selectionProblems(selection, JSON.parse(plan), types),
  )
}
