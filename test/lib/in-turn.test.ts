import { expect, test } from 'vitest'
import { inTurn } from '../../src/lib/in-turn.ts'
import { MAX_STEPS, spend } from '../../src/lib/work-budget.ts'

const HEAVY = MAX_STEPS / 2

/** Works on many events of an organization, which all come at once. Returns the names of the organizations in the order of their work. */
async function order(works: readonly (readonly [organization: string, steps: number])[]) {
  const done: string[] = []
  await Promise.all(
    works.map(([organization, steps]) =>
      inTurn(organization, (budget) => {
        spend(budget, steps)
        done.push(organization)
      }),
    ),
  )
  return done
}

test('an organization with much work leaves the thread to others after each event', async () => {
  const flood = Array(50).fill(['flood', HEAVY] as const)
  const done = await order([...flood, ['other', HEAVY], ['other', 1]])
  expect(done.slice(0, 3)).toEqual(['flood', 'other', 'flood'])
  // The second event of the other one waits for its own turn, the next.
  expect(done.indexOf('other', 2)).toBeLessThanOrEqual(4)
  expect(done).toHaveLength(52)
})

test('timers and sockets of others run between the events of an organization', async () => {
  let rounds = 0
  const count = () => {
    rounds++
    next = setImmediate(count)
  }
  let next = setImmediate(count)
  await order(Array(100).fill(['flood', HEAVY] as const))
  clearImmediate(next)
  expect(rounds).toBeGreaterThanOrEqual(98)
})
