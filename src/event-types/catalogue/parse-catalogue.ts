import { didYouMean } from '../../lib/did-you-mean.ts'
import {
  type ExactJson,
  type ExactObject,
  isExactObject,
  parseExactJson,
} from '../../lib/exact-json.ts'
import { decodeUtf8, InvalidJson, parseJson } from '../../lib/parse-json.ts'
import { referred, withReferred } from '../../lib/schema-path.ts'
import { schemaWithDefinitions } from '../../lib/standard-schema.ts'
import {
  type GivenCatalogue,
  type GivenType,
  membersOf,
  type Refusal,
  textOrNull,
  UnusableCatalogue,
} from './catalogue-type.ts'

/** Reads a file: what `printCatalogue` printed, or an OpenAPI 3.1 document with `webhooks`. Throws if the file is neither. */
export function parseCatalogueFile(bytes: Uint8Array, file: string): GivenCatalogue {
  const document = membersOf(parseExactJson(textOf(bytes, file)))
  if (document['openapi'] !== undefined) return parseOpenApi(document, file)
  const { eventTypes } = document
  if (Array.isArray(eventTypes)) {
    const types = eventTypes.map((item, index) => parseItem(item, `${file}: eventTypes[${index}]`))
    return { types, refused: [] }
  }
  throw new UnusableCatalogue([
    `${file} is neither a file that \`posthorn event-type export\` wrote, with a list "eventTypes", nor an OpenAPI document. For JSON Schemas, give the folder with one file for each event type.`,
  ])
}

/** Reads a JSON Schema of the file that is named for its event type, such as `order.paid.json`. */
export function parseSchemaFile(bytes: Uint8Array, file: string): GivenType {
  const text = textOf(bytes, file).trim()
  const schema = parseExactJson(text)
  if (!isExactObject(schema)) {
    throw new UnusableCatalogue([`${file} must be a JSON Schema in an object.`])
  }
  const name = file.replace(/\.json$/, '')
  const { examples } = schema
  return {
    place: file,
    name,
    others: {
      description: descriptionOf([schema], name),
      group: schema['x-group'],
      searchKeys: schema['x-search-keys'],
    },
    schema: text,
    example: Array.isArray(examples) ? textOrNull(examples[0]) : null,
  }
}

/** Gives event types other names: each of `names` is `from=to`. Throws for a name that no event type has. */
export function renameTypes(given: GivenCatalogue, names: readonly string[]): GivenCatalogue {
  const others = new Map(
    names.map((pair): [string, string] => {
      const equals = pair.lastIndexOf('=')
      if (equals > 0) return [pair.slice(0, equals), pair.slice(equals + 1)]
      throw new UnusableCatalogue([`The name ${JSON.stringify(pair)} has no "=". Write from=to.`])
    }),
  )
  const known = [...given.types, ...given.refused].map(({ name }) => name)
  const unknown = [...others.keys()].find((name) => !known.includes(name))
  if (unknown !== undefined) {
    const hint = didYouMean(unknown, known)
    throw new UnusableCatalogue([
      `No event type of the file is named ${JSON.stringify(unknown)}.${hint}`,
    ])
  }
  const types = given.types.map((type) => ({ ...type, name: others.get(type.name) ?? type.name }))
  return { ...given, types }
}

function parseItem(item: ExactJson, place: string): GivenType {
  const { name: given, schema, example, ...others } = membersOf(item)
  const name = typeof given === 'string' ? given : ''
  return {
    place: name === '' ? place : `${place} (${name.slice(0, 128)})`,
    name,
    others,
    schema: textOrNull(schema),
    example: textOrNull(example),
  }
}

/** The text of JSON. Throws for what is not JSON. */
export function textOf(bytes: Uint8Array, file: string): string {
  const text = decodeUtf8(bytes)?.replace(/^\ufeff/, '')
  if (text === undefined) throw new UnusableCatalogue([`${file} is not UTF-8. Convert it.`])
  try {
    parseJson(text, { inexact: true })
    return text
  } catch (error) {
    const { message } = error as Error
    const problem =
      error instanceof InvalidJson
        ? message
        : `is not JSON: ${message}. Convert a document in YAML to JSON.`
    throw new UnusableCatalogue([`${file} ${problem}`])
  }
}

/** The `webhooks` of an OpenAPI 3.1 document: one event type each. */
function parseOpenApi(document: ExactObject, file: string): GivenCatalogue {
  const { openapi: version } = document
  if (typeof version !== 'string' || !/^3\.[1-9]/.test(version)) {
    throw new UnusableCatalogue([
      `${file} is OpenAPI ${JSON.stringify(version)}. Convert it to OpenAPI 3.1, whose schemas are JSON Schemas.`,
    ])
  }
  const webhooks = Object.entries(membersOf(document['webhooks']))
  if (webhooks.length === 0) {
    throw new UnusableCatalogue([`${file} has no "webhooks". Add one for each event type.`])
  }
  const [types, refused]: [GivenType[], Refusal[]] = [[], []]
  for (const [name, item] of webhooks) {
    const read = parseWebhook(document, item, name, file)
    if ('problem' in read) refused.push(read)
    else types.push(read)
  }
  return { types, refused }
}

function parseWebhook(
  document: ExactObject,
  webhook: ExactJson,
  name: string,
  file: string,
): GivenType | Refusal {
  const place = `${file}: webhooks.${name.slice(0, 128)}`
  const item = resolved(document, webhook)
  const operation = resolved(document, item['post'])
  const content = membersOf(resolved(document, operation['requestBody'])['content'])
  const media = resolved(document, content['application/json'])
  const { schema: bodySchema } = media
  if (bodySchema === undefined) {
    const problem = `${place} has no schema at post.requestBody.content["application/json"].schema. Add the schema of the request.`
    return { name, problem }
  }
  const ofData = dataSchema(document, bodySchema)
  const given = followed(document, ofData ?? bodySchema)
  const example = exampleOf(document, media, given, ofData !== undefined)
  const { schemas } = membersOf(document['components'])
  const schema = isExactObject(given) ? schemaWithDefinitions(given, schemas ?? {}) : given
  return {
    place,
    name,
    others: {
      description: descriptionOf([operation, item, resolved(document, bodySchema)], name),
      group: operation['x-group'] ?? item['x-group'] ?? itemsOf(operation['tags'])[0],
      searchKeys: operation['x-search-keys'] ?? item['x-search-keys'],
    },
    schema: schema === true ? null : textOrNull(schema as ExactJson),
    example: textOrNull(example),
  }
}

function itemsOf(value: ExactJson | undefined): readonly ExactJson[] {
  return Array.isArray(value) ? value : []
}

/** The members of an object, or of the one that its `$ref` names. Empty for anything else. */
function resolved(document: ExactObject, given: ExactJson | undefined): ExactObject {
  let value = given
  for (let i = 0; i < MAX_REFERENCES; i++) {
    const { $ref: reference } = membersOf(value)
    if (typeof reference !== 'string') return membersOf(value)
    value = referred(document, reference) as ExactJson | undefined
  }
  return {}
}

const MAX_REFERENCES = 100

/** The component itself, where a schema is only a reference to one. */
function followed(document: ExactObject, given: ExactJson): ExactJson {
  let schema = given
  for (let i = 0; i < MAX_REFERENCES; i++) {
    const { $ref: reference, ...others } = membersOf(schema)
    if (typeof reference !== 'string' || Object.keys(others).length > 0) return schema
    schema = (referred(document, reference) as ExactJson | undefined) ?? schema
  }
  return schema
}

/** The schema of the member `data` of the request's body, which Posthorn sends in an envelope. */
function dataSchema(document: ExactObject, body: ExactJson): ExactJson | undefined {
  const schemas = (withReferred(document, [body]) ?? []) as ExactObject[]
  return schemas
    .map(({ properties }) => membersOf(properties)['data'])
    .findLast((data) => data !== undefined)
}

/** The example of the request, of which only `data` counts if the schema is that of `data`; or that of the schema. */
function exampleOf(
  document: ExactObject,
  media: ExactObject,
  schema: ExactJson,
  isInEnvelope: boolean,
): ExactJson | undefined {
  const [first] = Object.values(membersOf(media['examples']))
  const ofBody = media['example'] ?? resolved(document, first)['value']
  const ofRequest = isInEnvelope ? membersOf(ofBody)['data'] : ofBody
  const { examples, example } = membersOf(schema)
  return ofRequest ?? itemsOf(examples)[0] ?? example
}

/** The first text that describes an event type in one of the objects. A document without one has its name. */
function descriptionOf(objects: readonly ExactObject[], name: string): string {
  const texts = objects.flatMap(({ description, summary, title }) => [description, summary, title])
  return texts.find((text) => typeof text === 'string' && text.trim() !== '')?.toString() ?? name
}
