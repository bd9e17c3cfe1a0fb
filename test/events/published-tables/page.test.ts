import { expect, test } from 'vitest'
import { useResource } from '../../support/use-resource.ts'
import { created, createHostDatabase, PAGE, updated } from './support.ts'

const host = await useResource(createHostDatabase())
const blocks = [...PAGE.matchAll(/^```sql\n([\s\S]+?)^```/gm)].map(([, text = '']) =>
  text.replaceAll('org_…', host.organization),
)

/** The only block with this text. */
function blockWith(part: string): string {
  const found = blocks.filter((block) => block.includes(part))
  expect(found, part).toHaveLength(1)
  return found[0] as string
}

test('the SQL of the page publishes what the page says', async () => {
  expect(await host.changes(blockWith('previous =>'))).toEqual([
    updated({ id: 7, status: 'open' }, { id: 7, status: 'paid' }),
  ])
  expect(await host.changes(blockWith('create table orders'))).toEqual([])
  const open = { id: 7, status: 'open', total: 49.9 }
  const paid = { ...open, status: 'paid' }
  expect(await host.changes(blockWith('insert into orders'))).toEqual([
    created(open),
    updated(open, paid),
  ])
  await host.session.query(blockWith("stop_publishing_changes('orders')"))
  expect(await host.changes('delete from orders')).toEqual([])
})
