import { expect, test } from 'vitest'
import { compileTemplate } from '../../src/templates/compile-template.ts'

function details(text: string): string[] {
  return compileTemplate(text, ['template']).issues.map(({ detail }) => detail)
}

test.each([
  ['', 'template is not JSON: the template ends where a value is expected at line 1, column 1.'],
  [
    '{\n  "a": $.total\n}',
    'template is not JSON: "$.total" stands where a value is expected at line 2, column 8. Put strings and names in double quotes, and values of the event in {{ and }}.',
  ],
  [
    '{"a": 1,}',
    'template is not JSON: "}" stands where a name is expected at line 1, column 9. Remove the comma before, or add what is missing.',
  ],
  ['{"a":1', 'template is not JSON: the template ends where "," or "}" is expected'],
  ['"\\x"', 'template has the unknown escape "\\\\x" at line 1, column 2.'],
  ['{"{{ $.a }}": 1}', 'template has a placeholder in a name at line 1, column 3.'],
  ['"{{ $.a"', 'template has a placeholder without end at line 1, column 2. Close it by }}'],
  ['"{{ $.a | default("x) }}"', 'template has a placeholder without end at line 1, column 2.'],
  [
    '"{{ customer.email }}"',
    'template has the unknown name "customer.email" at line 1, column 5. For a field of data, write $.customer.email. Names are event.id,',
  ],
  [
    '"{{ evnt.type }}"',
    'template has the unknown name "evnt.type" at line 1, column 5. Did you mean "event.type"?',
  ],
  [
    '\n"{{ $.a | truncat(3) }}"',
    'template has the unknown function "truncat" at line 2, column 11. Did you mean "truncate"? Functions are default, join,',
  ],
  ['"{{ $.a | default }}"', 'template has a wrong default at line 1, column 11. default needs the'],
  ['"{{ $.a | first(1) }}"', 'first takes no argument: write first alone.'],
  [
    '"{{ $.a | date("DD.MM.yyyy") }}"',
    'template has a wrong date at line 1, column 11. The format of date has "DD". Use yyyy, MM,',
  ],
  ['"{{ $.a | default($.b) }}"', 'has "$.b) " where an argument is expected at line 1, column 19.'],
  [`"{{ $.a ${'| upper '.repeat(9)}}}"`, 'has a placeholder with 9 functions'],
  ['['.repeat(200), 'template is nested more than 100 levels deep at line 1, column 101.'],
  [`"${'x'.repeat(32 * 1024)}"`, 'template must have at most 32,768 bytes.'],
  [`[${'{{$}},'.repeat(100)}{{$}}]`, 'template must have at most 100 placeholders, not 101.'],
])('%j is refused: %s', (text, detail) => {
  expect(details(text).join('\n')).toContain(detail)
  expect(compileTemplate(text, ['template']).template).toBeNull()
})

test('each wrong placeholder is an issue of its own, and at most 10 are listed', () => {
  expect(details('["{{ a }}", {{ $.b | c }}]')).toHaveLength(2)
  expect(details(`[${Array(50).fill('{{ a }}').join()}]`)).toHaveLength(10)
})
