import { expect, test } from 'vitest'
import { changesOf, editOf, NEW_WEBHOOK } from '../../packages/react/src/webhooks/webhook-values.ts'

const base = { ...NEW_WEBHOOK, template: '{}' }

test('a selection replaces a template, and a template a selection', () => {
  const selected = { ...base, ...editOf('selection', '{ id }') }
  expect(changesOf(selected, base)).toEqual({ selection: '{ id }', template: null })
  expect({ ...selected, ...editOf('template', '{}') }).toEqual(base)
})

test('to remove one, or to edit another field, leaves the other as it is', () => {
  expect(editOf('selection', null)).toEqual({ selection: null })
  expect(editOf('description', 'Mine')).toEqual({ description: 'Mine' })
})
