import { z } from 'zod'

/** A list of the graph, of which each item has a cursor. */
interface Connection<Node> {
  readonly edges: readonly { readonly cursor: string; readonly node: Node }[]
  readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor?: string | null }
}

/** The items that an answer of this size has room for, and the cursor of the next ones. */
export function pageOf<Node, Item>(
  { edges, pageInfo }: Connection<Node>,
  size: number,
  toItem: (node: Node) => Item,
): { items: Item[]; next_cursor: string | null } {
  const shown = edges.slice(0, Math.max(1, Math.floor(edges.length * size)))
  const isCut = shown.length < edges.length
  return {
    items: shown.map(({ node }) => toItem(node)),
    next_cursor: isCut
      ? (shown.at(-1)?.cursor ?? null)
      : pageInfo.hasNextPage
        ? (pageInfo.endCursor ?? null)
        : null,
  }
}

export const PAGE_INPUT = {
  limit: z.number().int().min(1).max(50).default(20).describe('The number of items: 1 to 50.'),
  cursor: z
    .string()
    .max(1_000)
    .optional()
    .describe('The next_cursor of an earlier call with the same arguments.'),
}

/** The output of a list. */
export function pageOutput<Item extends z.ZodType>(item: Item) {
  return z.object({
    items: z.array(item).max(50),
    next_cursor: z
      .string()
      .nullable()
      .describe('Give it as cursor to get the next items. Null: there are no more.'),
  })
}
