import { didYouMean } from '../../lib/did-you-mean.ts'
import { InvalidJson, parseJson } from '../../lib/parse-json.ts'
import { rawItems, rawMembers } from '../../lib/raw-json.ts'
import { decodeUtf8 } from '../../lib/utf8.ts'
import { unusable } from './catalogue-error.ts'
import { CATALOGUE_FIELDS, type GivenCatalogue, type GivenType } from './catalogue-type.ts'
import { parseOpenApi } from './parse-openapi.ts'
import { descriptionOf } from './raw-document.ts'

/** Reads a file: what `printCatalogue` printed, or an OpenAPI 3.1 document with `webhooks`. Throws if the file is neither. */
export function parseCatalogueFile(bytes: Uint8Array, file: string): GivenCatalogue {
  const text = textOf(bytes, file)
  const members = rawMembers(text)
  if (members?.has('openapi')) return parseOpenApi(members, file)
  const items = rawItems(members?.get('eventTypes') ?? '')
  if (items) {
    const types = items.map((item, index) => parseItem(item, `${file}: eventTypes[${index}]`))
    return { types, refused: [] }
  }
  if (members?.has('asyncapi')) {
    throw unusable([
      `${file} is an AsyncAPI document, which Posthorn does not read. Describe the event types as webhooks of an OpenAPI 3.1 document, or give a folder with one JSON Schema for each.`,
    ])
  }
  throw unusable([
    `${file} is neither a file that \`posthorn event-type export\` wrote, with a list "eventTypes", nor an OpenAPI document. For JSON Schemas, give the folder with one file for each event type.`,
  ])
}

/** Reads a JSON Schema of the file that is named for its event type, such as `order.paid.json`. */
export function parseSchemaFile(bytes: Uint8Array, file: string): GivenType {
  const text = textOf(bytes, file).trim()
  const members = rawMembers(text)
  if (members === null) throw unusable([`${file} must be a JSON Schema in an object.`])
  const memberOf = (name: string): unknown => JSON.parse(members.get(name) ?? 'null')
  const name = file.replace(/\.json$/, '')
  return {
    place: file,
    name,
    description: descriptionOf([members], name),
    group: memberOf('x-group'),
    searchKeys: memberOf('x-search-keys') ?? [],
    archived: false,
    schema: text,
    example: rawItems(members.get('examples') ?? '')?.[0] ?? null,
  }
}

/** Gives event types other names: each of `names` is `from=to`. Throws for a name that no event type has. */
export function renameTypes(given: GivenCatalogue, names: readonly string[]): GivenCatalogue {
  const others = new Map(
    names.map((pair): [string, string] => {
      const equals = pair.lastIndexOf('=')
      if (equals > 0) return [pair.slice(0, equals), pair.slice(equals + 1)]
      throw unusable([`The name ${JSON.stringify(pair)} has no "=". Write from=to.`])
    }),
  )
  const known = [...given.types, ...given.refused].map(({ name }) => name)
  const unknown = [...others.keys()].find((name) => !known.includes(name))
  if (unknown !== undefined) {
    const hint = didYouMean(unknown, known)
    throw unusable([`No event type of the file is named ${JSON.stringify(unknown)}.${hint}`])
  }
  const types = given.types.map((type) => ({ ...type, name: others.get(type.name) ?? type.name }))
  return { ...given, types }
}

function parseItem(text: string, place: string): GivenType {
  const members = rawMembers(text)
  if (members === null) throw unusable([`${place} must be an object.`])
  const known = ['name', ...CATALOGUE_FIELDS]
  const unknown = [...members.keys()].find((name) => !known.includes(name))
  if (unknown !== undefined) {
    const hint = didYouMean(unknown, known)
    throw unusable([`${place} has ${JSON.stringify(unknown)}, which is no field.${hint}`])
  }
  const memberOf = (name: string): unknown => {
    const member = members.get(name)
    return member === undefined ? undefined : JSON.parse(member)
  }
  const name = memberOf('name')
  if (typeof name !== 'string') throw unusable([`${place} needs a name, a string.`])
  return {
    place: `${place} (${name.slice(0, 128)})`,
    name,
    description: memberOf('description'),
    group: memberOf('group') ?? null,
    searchKeys: memberOf('searchKeys') ?? [],
    archived: memberOf('archived') ?? false,
    schema: notNull(members.get('schema')),
    example: notNull(members.get('example')),
  }
}

function notNull(text: string | undefined): string | null {
  return text === undefined || text === 'null' ? null : text
}

/** The text of JSON. Throws for what is not JSON. */
export function textOf(bytes: Uint8Array, file: string): string {
  const text = decodeUtf8(bytes)?.replace(/^\ufeff/, '')
  if (text === undefined) throw unusable([`${file} is not UTF-8. Convert it.`])
  try {
    parseJson(text, { inexact: true })
    return text
  } catch (error) {
    const { message } = error as Error
    const problem =
      error instanceof InvalidJson
        ? message
        : `is not JSON: ${message}. Convert a document in YAML to JSON.`
    throw unusable([`${file} ${problem}`])
  }
}
