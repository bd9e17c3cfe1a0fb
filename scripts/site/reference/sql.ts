import { code, fenced, page, prose, table } from './markdown.ts'
import { publicFunctions, type SqlFunction } from './sql-functions.ts'
import { SQLSTATES } from './sqlstates.ts'

export function sqlPage(): string {
  const byName = Map.groupBy(publicFunctions(), ({ name }) => name)
  return page(
    '# SQL functions',
    'The functions of the schema `posthorn` that applications call, in their own transactions. All other functions and tables of the schema are parts of Posthorn and can change with any version. No function is public: a role needs usage of the schema, and execute on each overload that it calls.',
    fenced(
      'grant usage on schema posthorn to host;\ngrant execute on function posthorn.publish_events(text, text) to host;',
      'sql',
    ),
    table(
      ['function', ''],
      [...byName].map(([name, [first]]) => [
        `[${code(`posthorn.${name}`)}](#posthorn${name})`,
        firstSentence(first?.comment ?? ''),
      ]),
    ),
    ...[...byName].map(([name, overloads]) => section(name, overloads)),
    '## Errors',
    table(
      ['SQLSTATE', 'meaning', 'remedy'],
      Object.entries(SQLSTATES).map(([name, { meaning, remedy }]) => [code(name), meaning, remedy]),
    ),
  )
}

function section(name: string, overloads: readonly SqlFunction[]): string {
  return page(
    `## posthorn.${name}`,
    ...overloads.flatMap(({ args, returns, comment }) => [
      fenced(`posthorn.${name}(${args})\n  returns ${returns}`, 'txt'),
      prose(comment),
    ]),
    EXAMPLES[name] === undefined ? '' : fenced(EXAMPLES[name], 'sql'),
  ).trimEnd()
}

const firstSentence = (text: string) => prose(/^.*?[.](?= |$)/.exec(text)?.[0] ?? text)

const EXAMPLES: Readonly<Record<string, string>> = {
  publish_events: `select * from posthorn.publish_events('org_…', '[
  {"type": "order.paid", "data": {"id": "o_1", "total": 1}, "idempotencyKey": "order o_1 paid"}
]')`,
  publish_event: `select * from posthorn.publish_event('org_…', 'order.paid', '{"id": "o_1", "total": 1}')`,
  publish_changes: `select posthorn.publish_changes('public.orders', 'organization_id', '{id,total,state}', 'order')`,
  stop_publishing_changes: `select posthorn.stop_publishing_changes('public.orders')`,
}
