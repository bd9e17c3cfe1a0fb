/** A value of JSON, read without checks. */
// biome-ignore lint/suspicious/noExplicitAny: a document of deep objects
type Json = any

/** Names that generators write themselves for a schema `X`. */
const FROM_SCHEMAS = [
  'New$',
  'New$WithDefaults',
  'Nullable$',
  'NewNullable$',
  '$ToJSON',
  '$FromJSON',
]

/** Names that generators write themselves for an operation. */
const FROM_OPERATIONS = [
  ...[
    '$',
    '$Request',
    '$Response',
    '$Params',
    '$Body',
    '$Data',
    '$Error',
    '$Result',
    'Api$Request',
  ],
  ...['$JSONBody', '$JSONRequestBody', '$RequestObject', '$ResponseObject', '$OperationRequest'],
]

/** Names that a language, or the library of a client, has already. */
const RESERVED = [
  ...['Error', 'Exception', 'Object', 'String', 'Number', 'Boolean', 'Integer', 'Date', 'Time'],
  ...['List', 'Map', 'Set', 'Array', 'File', 'Type', 'Enum', 'Record', 'Function', 'Symbol'],
  ...['Request', 'Response', 'Client', 'Server', 'Configuration', 'ApiClient', 'ApiException'],
  ...['ApiResponse', 'ApiError', 'Unset', 'None', 'Any', 'Optional', 'Nullable', 'Event'],
]

/** What makes a generated client of an OpenAPI document fail to compile, or gives its types names by chance. */
export function clientTraps(document: Json): string[] {
  const schemas: Record<string, Json> = document.components.schemas
  const names = Object.keys(schemas)
  const operations = [...operationsOf(document.paths), ...operationsOf(document.webhooks ?? {})]
  const generated = new Map<string, string>(
    RESERVED.map((name) => [lower(name), 'a reserved name']),
  )
  for (const name of names) {
    for (const derived of derive(FROM_SCHEMAS, name)) generated.set(lower(derived), `of ${name}`)
  }
  for (const { operationId = '' } of operations) {
    for (const derived of derive(FROM_OPERATIONS, operationId)) {
      generated.set(lower(derived), `of ${operationId}`)
    }
  }
  const fromPaths = reachable(document, document.paths)
  const fromWebhooks = reachable(document, document.webhooks ?? {})
  return [
    ...names
      .filter((name) => !/^[A-Z][A-Za-z0-9]+$/.test(name))
      .map((name) => `${name}: not in PascalCase`),
    ...repeated(names).map((name) => `${name}: twice, but for the case`),
    ...names.flatMap((name) => {
      const owner = generated.get(lower(name))
      return owner === undefined ? [] : [`${name}: generated, ${owner}`]
    }),
    ...[...fromWebhooks]
      .filter((at) => !fromPaths.has(at))
      .map((at) => `${at}: only from webhooks, so it is removed`),
    ...operations.flatMap(({ operationId }) =>
      /^[a-z][A-Za-z0-9]+$/.test(operationId ?? '') ? [] : [`${operationId}: not in camelCase`],
    ),
    ...repeated(operations.map(({ operationId }) => operationId)).map((id) => `${id}: twice`),
    ...unnamed(document.paths, 'paths'),
    ...unnamed(document.webhooks ?? {}, 'webhooks'),
    ...unnamed(document.components.parameters ?? {}, 'parameters'),
    ...unnamed(document.components.responses ?? {}, 'responses'),
    ...Object.entries(schemas).flatMap(([name, { properties = {} }]) => [
      ...unnamed(properties, name),
      ...repeated(Object.keys(properties).map((key) => key.replaceAll(/[_-]/g, ''))).map(
        (key) => `${name}.${key}: twice, but for the case`,
      ),
    ]),
  ]
}

const lower = (name: string) => name.toLowerCase()

function derive(patterns: readonly string[], name: string): string[] {
  return patterns.map((pattern) => pattern.replace('$', name)).filter((derived) => derived !== name)
}

function operationsOf(paths: Json): { readonly operationId?: string }[] {
  return Object.values(paths).flatMap((methods) => Object.values(methods as object))
}

function repeated(names: readonly (string | undefined)[]): string[] {
  const all = names.map((name) => lower(name ?? ''))
  return [...new Set(all.filter((name, index) => all.indexOf(name) !== index))]
}

/** The references in a part of the document, and in what they reference. */
function reachable(document: Json, part: Json, found = new Set<string>()): Set<string> {
  if (typeof part !== 'object' || part === null) return found
  for (const [key, value] of Object.entries<Json>(part)) {
    if (key !== '$ref') reachable(document, value, found)
    else if (!found.has(value)) {
      found.add(value)
      reachable(document, resolve(document, value), found)
    }
  }
  return found
}

function resolve(document: Json, reference: string): Json {
  return reference
    .slice('#/'.length)
    .split('/')
    .reduce((value, key) => value[key], document)
}

/** Objects and enumerations without a name, for which each generator invents one. */
function unnamed(part: Json, at: string): string[] {
  if (typeof part !== 'object' || part === null) return []
  const isType =
    part.enum !== undefined || (part.type === 'object' && part.properties !== undefined)
  if (isType && part.title === undefined) return [`${at}: without a name`]
  return Object.entries<Json>(part)
    .filter(([key]) => !['example', 'examples', '$ref'].includes(key))
    .flatMap(([key, value]) => unnamed(value, `${at}.${key}`))
}
