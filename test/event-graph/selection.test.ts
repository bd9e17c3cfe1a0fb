import fc from 'fast-check'
import { expect, test } from 'vitest'
import { compileSelection } from '../../src/event-graph/compile-selection.ts'
import type { SourceType } from '../../src/event-graph/model.ts'
import type { SelectionPlan } from '../../src/event-graph/plan.ts'
import { selectEvent } from '../../src/event-graph/select-event.ts'
import { newBudget } from '../../src/lib/work-budget.ts'
import { schemaOf, selectionsOf, shapes, textsOf } from './arbitraries.ts'

const EVENT = {
  id: '019a2b3c-4d5e-7000-8000-000000000001',
  type: 'order.paid',
  occurredAt: new Date('2026-01-31T12:00:00Z'),
  previous: null,
}

function sourceType(schema: object | boolean, name = 'order.paid'): SourceType {
  return { name, description: 'Somebody paid.', schema: JSON.stringify(schema) }
}

/** Plans are stored: what JSON does not keep is lost. */
function planOf(text: string, types: readonly SourceType[]): SelectionPlan {
  const { plan, issues } = compileSelection(text, types)
  expect(issues).toEqual([])
  return JSON.parse(JSON.stringify(plan))
}

test('what is selected is equal to the letter, and nothing else is there', () => {
  const cases = shapes.object.chain((shape) =>
    fc.record({
      shape: fc.constant(shape),
      now: selectionsOf(shape, true),
      before: selectionsOf(shape, true),
      data: textsOf(shape),
      previous: fc.option(textsOf(shape)),
    }),
  )
  fc.assert(
    fc.property(cases, ({ shape, now, before, data, previous }) => {
      const text = `{ ... on OrderPaid { previous ${before.graphql} ${now.graphql.slice(1)} }`
      const plan = planOf(text, [sourceType(schemaOf(shape))])
      const fields = now.of(data) === 'null' ? now.of('{}') : now.of(data)
      expect(selectEvent(plan, { ...EVENT, data, previous }, newBudget())).toBe(
        `{"previous":${before.of(previous ?? 'null')},${fields.slice(1)}`,
      )
    }),
    { numRuns: 500 },
  )
})
