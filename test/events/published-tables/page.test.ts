import { expect, test } from 'vitest'
import { useResource } from '../../support/use-resource.ts'
import { created, createHostDatabase, PAGE, updated } from './support.ts'

const host = await useResource(createHostDatabase())
const blocks = [...PAGE.matchAll(/^```sql\n([\s\S]+?)^```/gm)].map(([, text = '']) =>
  text.replaceAll('org_…', host.organization),
)

test('the SQL of the page publishes what the page says', async () => {
  expect(blocks).toHaveLength(5)
  const [publish, install, write, review] = blocks as string[]
  expect(await host.changes(publish as string)).toEqual([
    updated({ id: 7, status: 'open' }, { id: 7, status: 'paid' }),
  ])
  expect(await host.changes(install as string)).toEqual([])
  const open = { id: 7, status: 'open', total: 49.9 }
  const paid = { ...open, status: 'paid' }
  expect(await host.changes(write as string)).toEqual([created(open), updated(open, paid)])
  await host.session.query(review as string)
  expect(await host.changes('delete from orders')).toEqual([])
})
