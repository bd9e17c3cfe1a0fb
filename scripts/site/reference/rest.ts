import { openApiDocument } from '../../../src/server/rest/connect-v1/openapi.ts'
import { code, fenced, page, prose, table } from './markdown.ts'
import {
  type ApiDocument,
  type ApiSchema,
  operationsOf,
  type RestOperation,
  resolve,
} from './open-api.ts'

/** The OpenAPI document that the page is made from. */
export const DOCUMENT = openApiDocument('/') as object as ApiDocument

export function restPage(): string {
  const operations = operationsOf(DOCUMENT)
  return page(
    '# REST',
    DOCUMENT.info.description,
    'A server has this API as OpenAPI 3.1 at `/openapi.json`, with the event types of its catalogue if the request has a key. The examples need two variables:',
    fenced('export POSTHORN_URL=http://127.0.0.1:4000\nexport POSTHORN_API_KEY=phk_…', 'sh'),
    table(
      ['operation', ''],
      operations.map(({ method, path, summary }) => [code(`${method} ${path}`), prose(summary)]),
    ),
    ...operations.map(section),
    '## Schemas',
    ...Object.entries(DOCUMENT.components.schemas).map(([name, schema]) =>
      schemaSection(name, schema),
    ),
    '## Errors of every operation',
    'An error is [a problem](#problem), as `application/problem+json`. [Errors](errors.md#rest) has what to do about each.',
    table(
      ['response', ''],
      Object.entries(DOCUMENT.components.responses).map(([name, { description }]) => [
        name,
        prose(description),
      ]),
    ),
  )
}

function section(operation: RestOperation): string {
  const { method, path, summary, description, parameters, body, answers } = operation
  return page(
    `## ${summary.replace(/\.$/, '')}`,
    code(`${method} ${path}`),
    prose(description),
    table(
      ['parameter', 'in', 'type', ''],
      parameters.map((one) => [
        code(one.name),
        one.in,
        typeOf(one.schema),
        `${one.required ? '' : 'Optional. '}${prose(one.description)}${bounds(one.schema)}`,
      ]),
    ),
    body
      ? `The body is ${linked(body.schema)}, as \`application/json\`. ${prose(body.description)}`
      : '',
    fenced(curlOf(operation), 'sh'),
    table(
      ['status', 'answer'],
      answers.map(({ status, description, schema }) => [
        code(status),
        `${prose(description)}${schema ? ` ${linked(schema)}.` : ''}`,
      ]),
    ),
    ...answers
      .filter(({ example }) => example !== undefined)
      .slice(0, 1)
      .map(({ example }) => fenced(JSON.stringify(example, null, 2), 'json')),
  ).trimEnd()
}

/** An example that can be pasted: with its own values in place of the parameters of the path. */
export function curlOf({ method, path, parameters, body }: RestOperation): string {
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const parameter = parameters.find((one) => one.name === name)
    return String(parameter?.example ?? name)
  })
  const lines = [
    `curl ${method === 'GET' ? '' : `-X ${method} `}"$POSTHORN_URL${filled}"`,
    '-H "Authorization: Bearer $POSTHORN_API_KEY"',
    ...(body
      ? [`-H 'Content-Type: application/json'`, `-d '${JSON.stringify(body.example)}'`]
      : []),
  ]
  return lines.join(' \\\n  ')
}

function schemaSection(name: string, schema: ApiSchema): string {
  const required = schema.required ?? []
  return page(
    `### ${name}`,
    prose(schema.description ?? ''),
    table(
      ['field', 'type', 'required', ''],
      Object.entries(schema.properties ?? {}).map(([field, given]) => {
        const one = resolve(DOCUMENT, given)
        const text = `${prose(one.description ?? '')}${one.readOnly ? ' Read-only.' : ''}${bounds(one)}`
        return [code(field), typeOf(given), required.includes(field) ? 'yes' : 'no', text]
      }),
    ),
  ).trimEnd()
}

function typeOf(schema: ApiSchema): string {
  if (schema.$ref) return linked(schema)
  const types = [schema.type ?? 'any'].flat()
  const named = types.map((type) =>
    type === 'array' && schema.items ? `list of ${typeOf(schema.items)}` : type,
  )
  return `${named.join(' or ')}${schema.format ? ` (${schema.format})` : ''}`
}

function linked(schema: ApiSchema): string {
  const name = schema.$ref?.split('/').at(-1)
  return name === undefined ? typeOf(schema) : `[${name}](#${name.toLowerCase()})`
}

/** Bounds that the type does not have. */
function bounds(schema: ApiSchema): string {
  const texts = [
    range(schema.minimum, schema.maximum, 'from', 'to'),
    range(schema.minLength, schema.maxLength, 'characters: at least', 'at most'),
    range(schema.minItems, schema.maxItems, 'entries: at least', 'at most'),
    schema.maxProperties === undefined ? '' : `at most ${schema.maxProperties} entries`,
    schema.enum ? `one of ${schema.enum.map((one) => code(String(one))).join(', ')}` : '',
    schema.pattern ? `pattern ${code(schema.pattern)}` : '',
  ].filter(Boolean)
  return texts.length === 0 ? '' : ` *${texts.join('; ')}*`
}

function range(min: number | undefined, max: number | undefined, from: string, to: string): string {
  const least = min === undefined ? '' : `${from} ${min.toLocaleString('en')}`
  const most = max === undefined ? '' : `${to} ${max.toLocaleString('en')}`
  const [what] = from.split(': ')
  return min === undefined && max !== undefined && from.includes(': ')
    ? `${what}: ${most}`
    : [least, most].filter(Boolean).join(', ')
}
