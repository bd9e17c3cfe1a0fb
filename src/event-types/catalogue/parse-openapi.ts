import { rawItems, rawMembers } from '../../lib/raw-json.ts'
import { bundleSchema } from './bundle-schema.ts'
import { UnusableCatalogue, unusable } from './catalogue-error.ts'
import type { GivenCatalogue, GivenType, Refusal } from './catalogue-type.ts'
import { descriptionOf, type Members, parsed, resolved } from './raw-document.ts'

/** The `webhooks` of an OpenAPI 3.1 document: one event type each. */
export function parseOpenApi(document: Members, file: string): GivenCatalogue {
  const version: unknown = JSON.parse(document.get('openapi') ?? 'null')
  if (typeof version !== 'string' || !/^3\.[1-9]/.test(version)) {
    throw unusable([
      `${file} is OpenAPI ${JSON.stringify(version)}. Convert it to OpenAPI 3.1, whose schemas are JSON Schemas.`,
    ])
  }
  const webhooks = rawMembers(document.get('webhooks') ?? '')
  if (!webhooks || webhooks.size === 0) {
    throw unusable([`${file} has no "webhooks". Add one for each event type.`])
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

function parseWebhook(document: Members, text: string, name: string, file: string): GivenType {
  const place = `${file}: webhooks.${name.slice(0, 128)}`
  const item = resolved(document, text)
  const operation = resolved(document, item.get('post'))
  const body = resolved(document, operation.get('requestBody'))
  const content = rawMembers(body.get('content') ?? '') ?? new Map<string, string>()
  const media = resolved(document, content.get('application/json'))
  const bodySchema = media.get('schema')
  if (bodySchema === undefined) {
    throw unusable([
      `${place} has no schema at post.requestBody.content["application/json"].schema. Add the schema of the request.`,
    ])
  }
  const ofData = dataSchema(document, bodySchema, { place, parts: 0 })
  const schema = bundleSchema(document, ofData ?? bodySchema, place)
  const given = (key: string): unknown => parsed(operation.get(key) ?? item.get(key))
  const [tag] = rawItems(operation.get('tags') ?? '') ?? []
  return {
    place,
    name,
    description: descriptionOf([operation, item, resolved(document, bodySchema)], name),
    group: given('x-group') ?? parsed(tag) ?? null,
    searchKeys: given('x-search-keys') ?? [],
    archived: false,
    schema,
    example: exampleOf(document, media, schema, ofData !== null),
  }
}

/** The schema of the member `data` of the request's body, which Posthorn sends in an envelope. Null if there is none. */
function dataSchema(document: Members, text: string, walk: Walk, level = 0): string | null {
  walk.parts++
  if (walk.parts > MAX_PARTS) {
    throw unusable([
      `${walk.place} has a schema with more than ${MAX_PARTS.toLocaleString('en')} parts of allOf. Combine fewer.`,
    ])
  }
  const schema = resolved(document, text)
  const own = rawMembers(schema.get('properties') ?? '')?.get('data')
  if (own !== undefined || level > MAX_ALL_OF) return own ?? null
  const parts = rawItems(schema.get('allOf') ?? '') ?? []
  return parts.map((part) => dataSchema(document, part, walk, level + 1)).findLast(Boolean) ?? null
}

const MAX_ALL_OF = 8

/** Each part of an `allOf` can have an `allOf` of its own, of which several can be the same component. */
const MAX_PARTS = 1_000

interface Walk {
  readonly place: string
  parts: number
}

/** The example of the request, of which only `data` counts if the schema is that of `data`; or that of the schema. */
function exampleOf(
  document: Members,
  media: Members,
  schema: string | null,
  isInEnvelope: boolean,
): string | null {
  const [first] = [...(rawMembers(media.get('examples') ?? '')?.values() ?? [])]
  const ofBody = media.get('example') ?? resolved(document, first).get('value')
  const ofRequest = isInEnvelope ? rawMembers(ofBody ?? '')?.get('data') : ofBody
  const members = rawMembers(schema ?? '')
  return (
    ofRequest ?? rawItems(members?.get('examples') ?? '')?.[0] ?? members?.get('example') ?? null
  )
}
