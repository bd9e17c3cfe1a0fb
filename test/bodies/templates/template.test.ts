import { expect, test } from 'vitest'
import { compileTemplate } from '../../../src/bodies/templates/template.ts'

function details(text: string): string[] {
  return compileTemplate(text).issues.map(({ detail }) => detail)
}

test.each([
  [
    '',
    'template is invalid at line 1, column 1: JSON value expected but reached end of input. Write JSON with Liquid in its strings,',
  ],
  ['{\n  "a": $.total\n}', "is invalid at line 2, column 8: Object value expected after ':'."],
  ['{"a": {{ data.a }}}', 'for a value that is no text, "{{ data.total | json }}".'],
  ['['.repeat(20_000), 'template is nested too deeply. Nest it less.'],
  [
    '{"{{ data.a }}": 1}',
    'line 1, column 2: The name of a field has Liquid. Put Liquid in values.',
  ],
  [
    '"{{ data.a"',
    'template is invalid at line 1, column 1: Liquid says: output "{{ data.a" not closed.',
  ],
  ['"{% if data.a %}"', 'Liquid says: tag {% if data.a %} not closed. Write {{ data.name'],
  [
    '"{{ customer.email }}"',
    'template is invalid at line 1, column 1: There is no name "customer.email". For a field of data, write data.customer.email. The names are data, previous, event.id,',
  ],
  ['"{{ evnt.type }}"', 'There is no name "evnt.type". Did you mean "event.type"?'],
  ['"{{ event.data }}"', 'There is no name "event.data"'],
  ['"{% for x in data %}{% endfor %}{{ x }}"', 'There is no name "x"'],
  [
    '\n["\\u007b{ data.a | truncat: 3 }}"]',
    'line 2, column 2: Liquid says: undefined filter: truncat. Write {{ data.name | filter: "argument" }}, or {% tag %} with its end. The filters are default,',
  ],
  ['"{{ data | sample }}"', 'Liquid says: undefined filter: sample.'],
  ['"{{ data | concat: data }}"', 'Liquid says: undefined filter: concat.'],
  ['"{% fr x in data %}"', 'Liquid says: tag "fr" not found.'],
  ['"{% include \'/etc/passwd\' %}"', 'Liquid says: tag "include" not found.'],
  ['"{% render data.file %}"', 'Liquid says: tag "render" not found.'],
  ['"{% layout data.file %}"', 'Liquid says: tag "layout" not found.'],
  [`"${'{% if a %}'.repeat(201)}"`, 'template must have at most 200 outputs and tags, not 201.'],
  [`"${'\\u007b% if a %}'.repeat(2_000)}"`, 'at most 200 outputs and tags, not 2000.'],
  [`"${'x'.repeat(32 * 1024)}"`, 'template must have at most 32,768 bytes.'],
])('%j is refused: %s', (text, detail) => {
  expect(details(text).join('\n')).toContain(detail)
  expect(compileTemplate(text).template).toBeNull()
})

test('each unknown name is an issue of its own', () => {
  expect(details('["{{ a }} {{ b }}", "{{ data.b | c }}"]')).toHaveLength(3)
})
