import { formatPrismaCursor } from '@pothos/plugin-prisma'
import { resolveCursorConnection } from '@pothos/plugin-relay'
import { v5 as uuidV5 } from 'uuid'
import { argumentError, MAX_PAGE_SIZE, PAGE_SIZE } from './arguments.ts'

/** Like every cursor, that of an item holds a uuid: one made of the item's key. */
const NAMESPACE = '5f4f2a3e-6a0f-5c0e-9a53-6d0d9a3f2b11'

/** A page of a list that was read whole. A cursor stands for the item with its key, wherever the item is by then. */
export async function listConnection<Item>(
  items: readonly Item[],
  keyOf: (item: Item) => string,
  args: PothosSchemaTypes.DefaultConnectionArguments,
) {
  const toCursor = (item: Item) =>
    formatPrismaCursor({ key: uuidV5(keyOf(item), NAMESPACE) }, 'key')

  function position(name: 'after' | 'before', cursor: string): number {
    const at = items.findIndex((item) => toCursor(item) === cursor)
    if (at >= 0) return at
    throw argumentError([{ path: [name], message: 'must be a cursor from a page of this list' }])
  }

  return await resolveCursorConnection<Promise<readonly Item[]>>(
    { args, defaultSize: PAGE_SIZE, maxSize: MAX_PAGE_SIZE, toCursor },
    async ({ after, before, limit, inverted }) => {
      const start = after === undefined ? 0 : position('after', after) + 1
      const end = before === undefined ? items.length : position('before', before)
      const found = items.slice(start, end)
      return (inverted ? found.toReversed() : found).slice(0, limit)
    },
  )
}
