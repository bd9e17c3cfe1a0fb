import { expect, test } from 'vitest'
import {
  allOf,
  countValues,
  isFound,
  shareOf,
  treeOf,
  withChosen,
} from '../../../../src/console/webhooks/body/field-nodes.ts'
import {
  type Chosen,
  printSelection,
  readSelection,
} from '../../../../src/console/webhooks/body/selection.ts'

const field = (path: string, type = 'String', onType: string | null = null) => {
  const steps = path.split('.')
  const hasFields = type === 'Object'
  return { path: steps, name: steps.at(-1) ?? '', type, hasFields, onType, description: null }
}

const TREE = treeOf([
  field('order', 'Object'),
  field('order.id'),
  field('order.total', 'Float'),
  field('payment', 'Object'),
  field('payment.last4', 'String', 'Card'),
  field('payment.bank', 'Object', 'Transfer'),
  field('payment.bank.name'),
  field('payment.last4', 'String', 'Transfer'),
  field('parent', 'Object'),
  field('parent.parent', 'Object'),
  field('note'),
])

const chosen = (text: string) => readSelection(text) as Chosen

test('everything that the tree offers is a selection', () => {
  expect(printSelection(allOf(TREE))).toBe(
    printSelection(
      chosen(`{
        order { id total }
        payment { __typename ... on Card { last4 } ... on Transfer { bank { name } last4 } }
        note
      }`),
    ),
  )
})

test('an object whose fields the list leaves out is not offered', () => {
  expect(TREE.fields.map(({ name }) => name)).toEqual(['order', 'payment', 'note'])
  expect(countValues(TREE)).toBe(7)
})

test.each([
  ['none', '{ note }', 'none'],
  ['some', '{ order { id } }', 'some'],
  ['all', '{ order { id total } }', 'all'],
])('of an object, %s is chosen', (_what, text, share) => {
  const [order] = TREE.fields
  expect(shareOf(order as never, chosen(text).fields.get('order') ?? null)).toBe(share)
})

test('what the catalogue does not have is shown, so that it can be removed', () => {
  const tree = withChosen(TREE, chosen('{ order { id color } size { width } note }'))
  const [order] = tree.fields
  expect(order?.fields.map(({ name, type }) => [name, type])).toEqual([
    ['id', 'String'],
    ['total', 'Float'],
    ['color', null],
  ])
  expect(tree.fields.at(-1)).toMatchObject({ name: 'size', type: null })
  expect(withChosen(TREE, chosen('{ order { id } }')).fields).toHaveLength(3)
})

test('the values before a change are fields of the catalogue', () => {
  const tree = withChosen(TREE, chosen('{ previous { order { id } } }'))
  const previous = tree.fields.at(-1)
  expect(previous).toMatchObject({ name: 'previous' })
  expect(previous?.fields[0]?.fields.map(({ type }) => type)).toEqual(['String', 'Float'])
})

test('a search finds a field by what is below it', () => {
  const found = (words: string) => TREE.fields.filter((one) => isFound(one, words))
  expect(found('total').map(({ name }) => name)).toEqual(['order'])
  expect(found('card').map(({ name }) => name)).toEqual(['payment'])
  expect(found('nothing of that')).toEqual([])
})
