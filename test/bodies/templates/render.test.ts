import { expect, test } from 'vitest'
import { render } from './support/render.ts'

test.each([
  ['"{{ data | json }}"', '{"id": 9007199254740993}', '{"id":9007199254740993}'],
  ['"{{ data.total }} €"', '{"total": 1.50}', '"1.50 €"'],
  ['{"total": "{{ data.total | json }}"}', '{"total": 1.50}', '{"total":1.50}'],
  ['"{{ data.cents | divided_by: 100 | json }}"', '{"cents": 1050}', '10.5'],
  ['"{{ data.a }}"', '{"a": "say \\"hi\\""}', '"say \\"hi\\""'],
  ['"{{ data.a }}"', '{"a": {"b": 1.0}}', '"{\\"b\\":1.0}"'],
  ['["{{ data.a }}", "{{ data.a | json }}"]', '{}', '["",null]'],
  ['["{{ data.a }}", "{{ data.a | json }}"]', '{"a": null}', '["",null]'],
  ['"{{ data.a | strip | default: \'none\' }}"', '{"a": " "}', '"none"'],
  ['"{{ data.a | default: 0 | json }}"', '{"a": 5}', '5'],
  [
    '"{{ data.items | map: \'sku\' | json }}"',
    '{"items": [{"sku": "a"}, {}, {"sku": 1}]}',
    '["a",null,1]',
  ],
  [
    "\"{{ data.items | map: 'sku' | compact | join: ', ' }}\"",
    '{"items": [{"sku": "a"}, {}, {"sku": 1}]}',
    '"a, 1"',
  ],
  ['"{{ data.items.first | json }}"', '{"items": [{"sku": "a"}, {}]}', '{"sku":"a"}'],
  [
    '"{% for item in data.items %}{{ item.n }} x {{ item.sku }}. {% endfor %}"',
    '{"items": [{"n": 2, "sku": "a"}, {"n": 1, "sku": "b"}]}',
    '"2 x a. 1 x b. "',
  ],
  ['"{% if data.total > 100 %}large{% else %}small{% endif %}"', '{"total": 100.50}', '"large"'],
  [
    '"{% if data.total == 100 and data.tags contains \'vip\' %}yes{% endif %}"',
    '{"total": 100.0, "tags": ["vip"]}',
    '"yes"',
  ],
  ['"{{ data.at | date: \'%d %b %Y\' }}"', '{"at": "2026-11-27T23:30:00-01:00"}', '"28 Nov 2026"'],
  [
    '"{{ data.at | date: \'%a %-d %B %Y %I:%M %p %Z\' }}"',
    '{"at": "2026-03-29T02:30:00Z"}',
    '"Sun 29 March 2026 02:30 AM UTC"',
  ],
  [
    '"{{ data.at | date: \'%F %T.%L %s %q %%\' }}"',
    '{"at": "2026-10-25T00:30:00.5Z"}',
    '"2026-10-25 00:30:00.500 1792888200 %q %"',
  ],
  ['"{{ data.at | date: \'%Y\' }}"', '{"at": "soon"}', '"soon"'],
  ['"{{ data.a | upcase }}"', '{"a": "straße"}', '"STRASSE"'],
  ['"{{ data.a | truncate: 5, \'…\' }}"', '{"a": "Posthorn"}', '"Post…"'],
  ['"{{ data.a | truncate: 2, \'\' }}"', '{"a": "a😀b"}', '"a😀"'],
  ['"{{ data.a }}"', '{"a": "}}{{ data.b }}", "b": "x"}', '"}}{{ data.b }}"'],
  ['"{% raw %}{{ stays }}{% endraw %}"', '{}', '"{{ stays }}"'],
])('%s with %s gives %s', (text, data, body) => {
  expect(render(text, data)).toBe(body)
})
