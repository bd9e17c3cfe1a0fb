import { describe, expect, test } from 'vitest'
import { hasText, redact } from '../../src/erasure/redact.ts'

const EMAIL = 'ada@example.org'

describe('a value in the details of the audit log', () => {
  test.each([
    ['the whole text', `{"email": "${EMAIL}"}`, '{"email": "[erased]"}'],
    ['within a text', `{"description": "For ${EMAIL}."}`, '{"description": "[erased]"}'],
    ['in a list', `["a", {"state": null}, "${EMAIL}"]`, '["a", {"state": null}, "[erased]"]'],
    [
      'in the JSON of a filter',
      JSON.stringify({ filter: JSON.stringify({ op: 'equals', value: EMAIL }) }),
      '{"filter":"[erased]"}',
    ],
  ])('is erased as %s', (_, json, expected) => {
    expect(redact(json, hasText(EMAIL))).toBe(expected)
  })

  test('leaves every other letter, also of numbers that JavaScript does not have', () => {
    const json = `{"n": 9007199254740993, "m": 1.0, "${EMAIL}": "a name", "t": "\\u00e9 \\"x\\""}`
    expect(redact(json, hasText(EMAIL))).toBe(json)
    expect(redact(`{"n": 9007199254740993, "e": "${EMAIL}"}`, hasText(EMAIL))).toBe(
      '{"n": 9007199254740993, "e": "[erased]"}',
    )
    expect(redact(null, hasText(EMAIL))).toBeNull()
  })

  test('that is short is erased only as the whole text, and never as a number or a word of Posthorn', () => {
    const json = '{"id": "42", "text": "42nd", "max": 42, "state": "42"}'
    expect(redact(json, hasText('42'))).toBe(
      '{"id": "[erased]", "text": "42nd", "max": 42, "state": "42"}',
    )
    const states = '{"state": "pending", "note": "pending"}'
    expect(redact(states, hasText('pending'))).toBe('{"state": "pending", "note": "[erased]"}')
  })

  test('that is a long number is erased as a number', () => {
    expect(redact('{"customer": 4711471147114711}', hasText('4711471147114711'))).toBe(
      '{"customer": "[erased]"}',
    )
  })
})
