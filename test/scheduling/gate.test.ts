import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type Entrant, Gate } from '../../src/flow/gate.ts'

/** A gate with a clock that stands still until told otherwise, and what it lets through. */
function openGate(capacity: number) {
  let now = 0
  const underWay: Entrant[] = []
  const entered: string[] = []
  const turnedAway: string[] = []
  const crowded: string[] = []
  const roomy: string[] = []
  const gate = new Gate({
    capacity,
    onCrowded: (webhookId) => crowded.push(webhookId),
    onRoom: (webhookId) => roomy.push(webhookId),
    now: () => now,
  })
  const settle = (entrant: Entrant, answer: string) => {
    if (answer === 'turned away') return void turnedAway.push(entrant.webhookId)
    underWay.push(entrant)
    entered.push(entrant.webhookId)
  }
  return {
    gate,
    underWay,
    entered,
    turnedAway,
    crowded,
    roomy,
    /** One that comes; where it has to wait, what becomes of it is noted once the microtasks have run. */
    come(webhookId: string, organizationId: string, maxInFlight = 20) {
      const entrant = { webhookId, organizationId, maxInFlight }
      const answer = gate.enter(entrant)
      if (typeof answer === 'string') settle(entrant, answer)
      else void answer.then((late) => settle(entrant, late))
    },
    /** The one that entered first, of those of a webhook or of all, is done. */
    async leave(webhookId?: string) {
      const at = underWay.findIndex((one) => webhookId === undefined || one.webhookId === webhookId)
      const [entrant] = underWay.splice(at, 1)
      gate.leave(entrant as Entrant)
      await settled()
    },
    async pass(ms: number) {
      for (let passed = 0; passed < ms; passed += 100) {
        now += 100
        gate.tick()
      }
      await settled()
    },
  }
}

/** Until all that is answered by now was heard. */
const settled = () => new Promise<void>((resolve) => setImmediate(resolve))

const count = (all: readonly string[], one: string) => all.filter((other) => other === one).length

const webhookOf = (i: number) => `webhook ${i}`
const organizationOf = (i: number) => `organization ${i % 4}`

describe('whatever comes, leaves and hangs', () => {
  const step = fc.oneof(
    { weight: 5, arbitrary: fc.record({ come: fc.nat(11), cap: fc.integer({ min: 1, max: 8 }) }) },
    { weight: 3, arbitrary: fc.record({ leave: fc.nat(1_000) }) },
    { weight: 1, arbitrary: fc.record({ passMs: fc.constantFrom(100, 300, 1_500) }) },
    { weight: 1, arbitrary: fc.record({ hold: fc.nat(11) }) },
    { weight: 1, arbitrary: fc.record({ lined: fc.uniqueArray(fc.nat(11)) }) },
  )

  test('no more than the capacity are under way, of a webhook no more than its cap, and none is forgotten', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 30 }),
        fc.array(step, { maxLength: 200 }),
        async (capacity, steps) => {
          const world = openGate(capacity)
          const { gate, underWay } = world
          const caps = new Map<string, number>()
          let came = 0
          for (const one of steps) {
            const before = countByWebhook(underWay)
            if ('come' in one) {
              const webhookId = webhookOf(one.come)
              world.come(webhookId, organizationOf(one.come), one.cap)
              caps.set(webhookId, one.cap)
              came += 1
            } else if ('leave' in one && underWay.length > 0) {
              await world.leave(underWay[one.leave % underWay.length]?.webhookId)
            } else if ('passMs' in one) await world.pass(one.passMs)
            else if ('hold' in one) gate.turnAway(webhookOf(one.hold))
            else if ('lined' in one) gate.setLined(new Set(one.lined.map(webhookOf)))
            await settled()
            expect(underWay.length).toBeLessThanOrEqual(capacity)
            expect(gate.inFlight).toBe(underWay.length)
            expect(gate.inFlight + gate.waiting + world.turnedAway.length + left(world)).toBe(came)
            for (const [webhookId, now] of countByWebhook(underWay)) {
              // Those under way when it was lowered may still be.
              const most = Math.max(caps.get(webhookId) ?? 0, before.get(webhookId) ?? 0)
              expect(now, webhookId).toBeLessThanOrEqual(most)
            }
          }
          gate.close()
          await settled()
          expect(gate.waiting).toBe(0)
          while (underWay.length > 0) await world.leave()
          expect(gate.inFlight).toBe(0)
          expect(world.entered.length + world.turnedAway.length).toBe(came)
        },
      ),
      { numRuns: 150 },
    )
  })

  const left = ({ entered, underWay }: ReturnType<typeof openGate>) =>
    entered.length - underWay.length

  function countByWebhook(entrants: readonly Entrant[]): Map<string, number> {
    const counts = new Map<string, number>()
    for (const { webhookId } of entrants) counts.set(webhookId, (counts.get(webhookId) ?? 0) + 1)
    return counts
  }

  test('all who wait enter in the end, as long as others leave', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 30 }),
        fc.array(fc.record({ webhook: fc.nat(11), cap: fc.integer({ min: 1, max: 8 }) }), {
          minLength: 1,
          maxLength: 300,
        }),
        async (capacity, entrants) => {
          const world = openGate(capacity)
          for (const { webhook, cap } of entrants)
            world.come(webhookOf(webhook), organizationOf(webhook), cap)
          for (let left = 0; left < entrants.length; left++) {
            expect(world.underWay.length, 'somebody is under way').toBeGreaterThan(0)
            await world.leave()
          }
          expect(world.entered).toHaveLength(entrants.length)
        },
      ),
      { numRuns: 50 },
    )
  })

  test('an organization finds a place although another has hundreds waiting', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 5, max: 200 }),
        fc.integer({ min: 1, max: 60 }),
        fc.integer({ min: 1, max: 200 }),
        async (capacity, webhooks, cap) => {
          const world = openGate(capacity)
          for (let i = 0; i < 800; i++) world.come(webhookOf(i % webhooks), 'hungry', cap)
          for (let i = 0; i < 50; i++) await world.leave()
          world.come('other', 'modest')
          expect(world.entered.at(-1)).toBe('other')
        },
      ),
      { numRuns: 100 },
    )
  })
})

test('a cap that is raised lets those in at once who wait', async () => {
  const { gate, come, entered } = openGate(10)
  for (let i = 0; i < 4; i++) come('slow', 'one', 1)
  expect(gate.waiting).toBe(3)
  come('slow', 'one', 8)
  await settled()
  expect(gate.waiting).toBe(0)
  expect(entered).toHaveLength(5)
})

test('a cap that is lowered holds for those who wait', async () => {
  const { come, leave, entered } = openGate(5)
  // The organization has its share with these, so that more of them wait, although the cap lets them by.
  for (let i = 0; i < 4; i++) come('slow', 'one', 8)
  come('slow', 'one', 8)
  come('slow', 'one', 2)
  await leave()
  await leave()
  expect(entered, 'two are under way').toHaveLength(4)
  await leave()
  expect(entered).toHaveLength(5)
})

test('organizations take turns, and so do the webhooks of each, whoever has more waiting', async () => {
  const { come, leave, entered } = openGate(9)
  for (let i = 0; i < 9; i++) come(`filler ${i}`, `filler ${i}`)
  for (let i = 0; i < 200; i++) come('one, a', 'one')
  for (let i = 0; i < 20; i++) come('one, b', 'one')
  for (let i = 0; i < 20; i++) come('two', 'two')
  entered.length = 0
  for (let i = 0; i < 40; i++) await leave()
  // The last of those before were not all of the same organization.
  expect(count(entered, 'two')).toBeGreaterThan(17)
  expect(count(entered, 'one, a')).toBeGreaterThan(8)
  expect(count(entered, 'one, b')).toBeGreaterThan(8)
})

describe('a webhook that does not move', () => {
  test('keeps as many waiting as its cap, and the others are turned away', async () => {
    const { gate, come, pass, turnedAway, crowded } = openGate(100)
    for (let i = 0; i < 30; i++) come('hangs', 'one', 5)
    await pass(200)
    expect(turnedAway, 'a moment is no reason').toHaveLength(0)
    await pass(200)
    expect(turnedAway).toHaveLength(20)
    expect(gate.inFlight).toBe(5)
    expect(gate.waiting).toBe(5)
    expect(crowded).toContain('hangs')
  })

  test('says so once, not again and again', async () => {
    const { come, pass, crowded } = openGate(100)
    for (let i = 0; i < 30; i++) come('hangs', 'one', 5)
    await pass(5_000)
    expect(crowded).toEqual(['hangs'])
  })

  test('turns away who comes while it has twice as many as it can use, and lets others by', async () => {
    const { gate, come, pass, turnedAway, entered } = openGate(100)
    for (let i = 0; i < 30; i++) come('hangs', 'one', 5)
    await pass(1_000)
    expect(gate.roomFor('hangs', 5)).toBe(0)
    turnedAway.length = 0
    for (let i = 0; i < 10; i++) come('hangs', 'one', 5)
    expect(turnedAway).toHaveLength(0)
    come('hangs', 'one', 5)
    expect(turnedAway).toEqual(['hangs'])
    come('quick', 'one', 5)
    expect(entered.at(-1)).toBe('quick')
  })

  test('says that it has room once half of what it can use is left', async () => {
    const { gate, come, leave, pass, roomy } = openGate(100)
    for (let i = 0; i < 30; i++) come('hangs', 'one', 6)
    await pass(500)
    for (let i = 0; i < 5; i++) await leave('hangs')
    expect(roomy).toEqual([])
    await leave('hangs')
    expect(roomy).toEqual(['hangs'])
    expect(gate.roomFor('hangs', 6)).toBe(6)
  })

  test('one that moves keeps what it will soon have sent', async () => {
    const { come, leave, pass, turnedAway, entered } = openGate(100)
    for (let i = 0; i < 60; i++) come('busy', 'one', 20)
    for (let ticks = 0; ticks < 3; ticks++) {
      await pass(100)
      for (let i = 0; i < 20; i++) await leave('busy')
    }
    await pass(1_000)
    expect(turnedAway).toEqual([])
    expect(entered).toHaveLength(60)
  })

  test('many of one organization that hang together leave the gate', async () => {
    const { gate, come, pass } = openGate(50)
    for (let i = 0; i < 600; i++) come(webhookOf(i % 60), 'hungry', 20)
    expect(gate.waiting).toBeGreaterThan(500)
    await pass(500)
    expect(gate.waiting).toBeLessThanOrEqual(25)
  })
})

test('held, a webhook has nobody waiting any more; the others keep theirs', async () => {
  const { gate, come, turnedAway } = openGate(100)
  for (let i = 0; i < 12; i++) come('failing', 'one', 2)
  for (let i = 0; i < 12; i++) come('fine', 'one', 2)
  gate.turnAway('failing')
  await settled()
  expect(turnedAway).toEqual(Array(10).fill('failing'))
  expect(gate.waiting).toBe(10)
})

test('closed, it turns away who waits and whoever comes, and still counts who leaves', async () => {
  const { gate, come, leave, turnedAway } = openGate(5)
  for (let i = 0; i < 20; i++) come(webhookOf(i), 'one')
  const { inFlight } = gate
  gate.close()
  await settled()
  expect(turnedAway).toHaveLength(20 - inFlight)
  come('late', 'two')
  expect(turnedAway.at(-1)).toBe('late')
  for (let i = 0; i < inFlight; i++) await leave()
  expect(gate.inFlight).toBe(0)
  expect(gate.waiting).toBe(0)
})

test('10,000 webhooks that had their turn are forgotten; one that is busy is not', async () => {
  const { gate, come, leave, pass } = openGate(100)
  come('busy', 'one', 3)
  for (let i = 0; i < 10_000; i++) {
    come(webhookOf(i), `organization ${i}`, 3)
    gate.leave({ webhookId: webhookOf(i), organizationId: `organization ${i}`, maxInFlight: 3 })
  }
  // Of one that it knows, it takes the cap that came with it; of another, the one that it is told.
  const known = () =>
    Array.from({ length: 10_000 }, (_, i) => gate.roomFor(webhookOf(i), 50)).filter((n) => n < 100)
  expect(known()).toHaveLength(10_000)
  await pass(1_500)
  expect(known()).toEqual([])
  expect(gate.roomFor('busy', 50)).toBe(5)
  await leave('busy')
  await pass(1_500)
  expect(gate.roomFor('busy', 50)).toBe(100)
})
