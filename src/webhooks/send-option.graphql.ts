import { builder } from '../graphql/builder.ts'
import { SEND_OPTION_DESCRIPTIONS as description } from './send-option-descriptions.ts'

builder.prismaObjectFields('Webhook', (t) => ({
  rateLimitPerSecond: t.exposeInt('rateLimitPerSecond', {
    nullable: true,
    description: description.rateLimitPerSecond,
  }),
  maxInFlight: t.exposeInt('maxInFlight', {
    nullable: true,
    description: description.maxInFlight,
  }),
  retryScheduleSeconds: t.intList({
    nullable: true,
    description: description.retryScheduleSeconds,
    select: { ownRetrySchedule: true, retryScheduleSeconds: true },
    resolve: ({ ownRetrySchedule, retryScheduleSeconds }) =>
      ownRetrySchedule ? retryScheduleSeconds : null,
  }),
  timeoutSeconds: t.exposeInt('timeoutSeconds', {
    nullable: true,
    description: description.timeoutSeconds,
  }),
  ordered: t.exposeBoolean('ordered', { description: description.ordered }),
  headerPrefix: t.exposeString('headerPrefix', {
    nullable: true,
    description: description.headerPrefix,
  }),
}))
