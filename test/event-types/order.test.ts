import { expect, test } from 'vitest'
import { SYSTEM } from '../../src/access/actor.ts'
import { createEventType } from '../../src/event-types/edit-event-type.ts'
import { findEventTypes } from '../../src/event-types/find-event-types.ts'
import { migrate } from '../../src/migrate/migrate.ts'
import { createBlankDatabase } from '../support/blank-database.ts'

const OPTIONS = `encoding 'UTF8' locale_provider icu icu_locale 'tr' locale 'C' template template0`

test('event types are listed by code points in a database with another collation', async () => {
  await using turkish = await createBlankDatabase(OPTIONS)
  await migrate(turkish.pool)
  for (const name of ['order_a', 'order.b', 'Order.c', 'ordeR']) {
    await createEventType(turkish.prisma, { name, description: 'An order' }, SYSTEM)
  }
  const selection = { select: { description: true } }
  const found = await findEventTypes(turkish.prisma, { includeArchived: false }, selection)
  const names = found.map(({ name }) => name)
  expect(names.filter((name) => /order/i.test(name))).toEqual([
    'Order.c',
    'ordeR',
    'order.b',
    'order_a',
  ])
})
