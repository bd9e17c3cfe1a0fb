import { builder } from '../graphql/builder.ts'
import { callerOf } from '../graphql/context.ts'
import { enumOf } from '../graphql/enum-of.ts'
import { KEEP_PAYLOADS, KEEP_RESPONSE_BODIES, OF_WEBHOOK, RETENTION_DAYS } from './descriptions.ts'
import { type Retention, readRetention } from './effective-retention.ts'

const RetentionSource = enumOf('RetentionSource', 'What a retention comes from.', {
  installation: 'POSTHORN_RETENTION.',
  organization: '`retentionDays` of the organization.',
  event_type: '`retentionDays` of the event type.',
})

const RetentionRef = builder.objectRef<Retention>('Retention').implement({
  description:
    'How long events, deliveries and attempts are kept: the shortest of the retentions of the installation, the organization and the event type.',
  fields: (t) => ({
    days: t.exposeFloat('days', { description: 'The days.' }),
    from: t.expose('from', { type: RetentionSource, description: 'Whose retention it is.' }),
  }),
})

builder.prismaObjectFields('Organization', (t) => ({
  retentionDays: t.exposeInt('retentionDays', {
    nullable: true,
    portal: 'open',
    description: `${RETENTION_DAYS} Null: as long as POSTHORN_RETENTION says.`,
  }),
  keepResponseBodies: t.exposeBoolean('keepResponseBodies', {
    portal: 'open',
    description: KEEP_RESPONSE_BODIES,
  }),
  keepPayloads: t.exposeBoolean('keepPayloads', { portal: 'open', description: KEEP_PAYLOADS }),
  retention: t.field({
    type: RetentionRef,
    portal: 'open',
    description: 'How long events are kept. Event types can have less.',
    select: { id: true },
    resolve: ({ id }, _args, context, info) =>
      context.perField(info, async (ids: string[]) =>
        Promise.all(ids.map((each) => readRetention(context.sql, each))),
      )(id),
  }),
}))

builder.prismaObjectFields('EventType', (t) => ({
  retentionDays: t.exposeInt('retentionDays', {
    nullable: true,
    portal: 'open',
    description: `${RETENTION_DAYS} Null: as long as the organization of the event keeps others.`,
  }),
  retention: t.field({
    type: RetentionRef,
    portal: 'open',
    description: 'How long events of the type are kept in the own organization.',
    select: { name: true },
    resolve: ({ name }, _args, context, info) =>
      context.perField(info, async (names: string[]) => {
        const { organizationId } = callerOf(context)
        return await Promise.all(
          names.map((each) => readRetention(context.sql, organizationId, each)),
        )
      })(name),
  }),
}))

builder.prismaObjectFields('Webhook', (t) => ({
  keepResponseBodies: t.exposeBoolean('keepResponseBodies', {
    description: `${KEEP_RESPONSE_BODIES} ${OF_WEBHOOK} \`effectiveSettings\` has what applies.`,
  }),
  keepPayloads: t.exposeBoolean('keepPayloads', {
    description: `${KEEP_PAYLOADS} ${OF_WEBHOOK} \`effectiveSettings\` has what applies.`,
  }),
}))
