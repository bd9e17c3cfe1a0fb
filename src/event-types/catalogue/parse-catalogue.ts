import { didYouMean } from '../../lib/did-you-mean.ts'
import { type ExactJson, parseExactJson } from '../../lib/exact-json.ts'
import { InvalidJson, parseJson } from '../../lib/parse-json.ts'
import { decodeUtf8 } from '../../lib/utf8.ts'
import {
  type GivenCatalogue,
  type GivenType,
  isJsonObject,
  membersOf,
  textOrNull,
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
