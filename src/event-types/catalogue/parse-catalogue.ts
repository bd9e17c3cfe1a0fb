import { didYouMean } from '../../lib/did-you-mean.ts'
import { type ExactJson, parseExactJson, printExactJson } from '../../lib/exact-json.ts'
import { decodeUtf8, InvalidJson, parseJson } from '../../lib/parse-json.ts'
import {
  CATALOGUE_FIELDS,
  type GivenCatalogue,
  type GivenType,
  isJsonObject,
  membersOf,
  UnusableCatalogue,
} from './catalogue-type.ts'
import { descriptionOf, parseOpenApi } from './parse-openapi.ts'

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
  if (!isJsonObject(schema)) {
    throw new UnusableCatalogue([`${file} must be a JSON Schema in an object.`])
  }
  const name = file.replace(/\.json$/, '')
  const { examples } = schema
  return {
    place: file,
    name,
    description: descriptionOf([schema], name),
    group: schema['x-group'] ?? null,
    searchKeys: schema['x-search-keys'] ?? [],
    archived: false,
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
  if (!isJsonObject(item)) throw new UnusableCatalogue([`${place} must be an object.`])
  const known = ['name', ...CATALOGUE_FIELDS]
  const unknown = Object.keys(item).find((name) => !known.includes(name))
  if (unknown !== undefined) {
    const hint = didYouMean(unknown, known)
    throw new UnusableCatalogue([
      `${place} has ${JSON.stringify(unknown)}, which is no field.${hint}`,
    ])
  }
  const { name, description, group, searchKeys, archived, schema, example } = item
  if (typeof name !== 'string') {
    throw new UnusableCatalogue([`${place} needs a name, a string.`])
  }
  return {
    place: `${place} (${name.slice(0, 128)})`,
    name,
    description,
    group: group ?? null,
    searchKeys: searchKeys ?? [],
    archived: archived ?? false,
    schema: textOrNull(schema),
    example: textOrNull(example),
  }
}

/** JSON with all digits. Null for no value. */
function textOrNull(value: ExactJson | undefined): string | null {
  return value === undefined || value === null ? null : printExactJson(value)
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
