import type { ExactJson } from '../../lib/exact-json.ts'
import { referred, withReferred } from '../../lib/schema-path.ts'
import { schemaWithDefinitions } from '../../lib/standard-schema.ts'
import {
  type GivenCatalogue,
  type GivenType,
  isJsonObject,
  type JsonObject,
  membersOf,
  type Refusal,
  textOrNull,
  UnusableCatalogue,
} from './catalogue-type.ts'

/** The `webhooks` of an OpenAPI 3.1 document: one event type each. */
export function parseOpenApi(document: JsonObject, file: string): GivenCatalogue {
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
    try {
      types.push(parseWebhook(document, item, name, file))
    } catch (error) {
      if (!(error instanceof UnusableCatalogue)) throw error
      refused.push(...error.problems.map((problem) => ({ name, problem })))
    }
  }
  return { types, refused }
}

function parseWebhook(
  document: JsonObject,
  webhook: ExactJson,
  name: string,
  file: string,
): GivenType {
  const place = `${file}: webhooks.${name.slice(0, 128)}`
  const item = resolved(document, webhook)
  const operation = resolved(document, item['post'])
  const content = membersOf(resolved(document, operation['requestBody'])['content'])
  const media = resolved(document, content['application/json'])
  const { schema: bodySchema } = media
  if (bodySchema === undefined) {
    throw new UnusableCatalogue([
      `${place} has no schema at post.requestBody.content["application/json"].schema. Add the schema of the request.`,
    ])
  }
  const ofData = dataSchema(document, bodySchema)
  const given = followed(document, ofData ?? bodySchema)
  const example = exampleOf(document, media, given, ofData !== undefined)
  const { schemas } = membersOf(document['components'])
  const schema = isJsonObject(given) ? schemaWithDefinitions(given, schemas ?? {}) : given
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
function resolved(document: JsonObject, given: ExactJson | undefined): JsonObject {
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
function followed(document: JsonObject, given: ExactJson): ExactJson {
  let schema = given
  for (let i = 0; i < MAX_REFERENCES; i++) {
    const { $ref: reference, ...others } = membersOf(schema)
    if (typeof reference !== 'string' || Object.keys(others).length > 0) return schema
    schema = (referred(document, reference) as ExactJson | undefined) ?? schema
  }
  return schema
}

/** The schema of the member `data` of the request's body, which Posthorn sends in an envelope. */
function dataSchema(document: JsonObject, body: ExactJson): ExactJson | undefined {
  const schemas = (withReferred(document, [body]) ?? []) as JsonObject[]
  return schemas
    .map(({ properties }) => membersOf(properties)['data'])
    .findLast((data) => data !== undefined)
}

/** The example of the request, of which only `data` counts if the schema is that of `data`; or that of the schema. */
function exampleOf(
  document: JsonObject,
  media: JsonObject,
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
export function descriptionOf(objects: readonly JsonObject[], name: string): string {
  const texts = objects.flatMap(({ description, summary, title }) => [description, summary, title])
  return texts.find((text) => typeof text === 'string' && text.trim() !== '')?.toString() ?? name
}
