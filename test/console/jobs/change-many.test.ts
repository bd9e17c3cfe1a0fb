import { expect, test } from 'vitest'
import {
  changeMany,
  type IdsPage,
  MAX_JOBS,
} from '../../../src/console/jobs/commands/change-many.ts'

const PAGE = 100

/** All jobs of `pages` pages change, except where a page is broken. */
function jobsOf(pages: number, given: { brokenAt?: number; rejectedAt?: number } = {}) {
  let page = 0
  const reported: number[] = []
  const controller = new AbortController()
  return {
    reported,
    controller,
    async page(after: string | null): Promise<IdsPage> {
      page = Number(after ?? 0)
      if (page === given.brokenAt) throw new Error('Posthorn is unreachable.')
      const ids = Array.from({ length: PAGE }, (_, i) => `${page * PAGE + i}`)
      return { ids, next: page + 1 < pages ? `${page + 1}` : null }
    },
    async change(ids: readonly string[]) {
      if (page === given.rejectedAt) return { ok: false, message: 'No.', issues: [] } as const
      const changes = ids.map((id) => ({ id, outcome: 'CHANGED', job: null }) as const)
      return { ok: true, value: { changes } } as const
    },
    signal: controller.signal,
    report: (count: number) => void reported.push(count),
  }
}

test('a command changes the jobs of all pages, and reports how far it is', async () => {
  const jobs = jobsOf(3)
  const { changes, ended } = await changeMany(jobs)
  expect(changes).toHaveLength(300)
  expect(ended).toBeNull()
  expect(jobs.reported).toEqual([100, 200, 300])
})

test('what breaks off says why, and keeps what is done', async () => {
  const unread = await changeMany(jobsOf(3, { brokenAt: 1 }))
  expect(unread.changes).toHaveLength(100)
  expect(unread.ended).toEqual({ reason: 'Posthorn is unreachable.' })
  const rejected = await changeMany(jobsOf(3, { rejectedAt: 2 }))
  expect(rejected.changes).toHaveLength(200)
  expect(rejected.ended).toEqual({ reason: 'No.' })
})

test('a command that is stopped changes no further page', async () => {
  const jobs = jobsOf(3)
  const stopping = {
    ...jobs,
    report(count: number) {
      jobs.report(count)
      jobs.controller.abort()
    },
  }
  const { changes, ended } = await changeMany(stopping)
  expect(changes).toHaveLength(100)
  expect(ended).toBe('stopped')
})

test('a command ends at its limit, and says so', async () => {
  const { changes, ended } = await changeMany(jobsOf(MAX_JOBS / PAGE + 1))
  expect(changes).toHaveLength(MAX_JOBS)
  expect(ended).toBe('limit')
})
