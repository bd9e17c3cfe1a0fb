import { builder } from '../graphql/builder.ts'
import { readSendDefaults } from './send-defaults.ts'

builder.prismaObjectFields('Delivery', (t) => ({
  plannedAttempts: t.field({
    type: ['DateTime'],
    description:
      'The times of the attempts that follow if each of them fails, soonest first: `nextAttemptAt`, then the rest of the retry schedule. Jitter, the duration of attempts and `Retry-After` can delay them. Empty if the delivery is final or parked.',
    select: {
      id: true,
      nextAttemptAt: true,
      schedulePosition: true,
      webhook: { select: { ownRetrySchedule: true, retryScheduleSeconds: true } },
    },
    resolve: async (delivery, _args, context, info) => {
      const { id, webhook, nextAttemptAt, schedulePosition } = delivery
      if (nextAttemptAt === null) return []
      const defaultsOf = context.perField(info, async (ids: string[]) => {
        const { retryScheduleMs } = await readSendDefaults(context.sql)
        return ids.map(() => retryScheduleMs)
      })
      const scheduleMs = webhook.ownRetrySchedule
        ? webhook.retryScheduleSeconds.map((seconds) => seconds * 1_000)
        : await defaultsOf(id)
      let at = nextAttemptAt.getTime()
      const later = scheduleMs.slice(schedulePosition).map((delayMs) => (at += delayMs))
      return [nextAttemptAt, ...later.map((ms) => new Date(ms))]
    },
  }),
}))
