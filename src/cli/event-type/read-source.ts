import { readdir, readFile, stat } from 'node:fs/promises'
import path from 'node:path'
import type { GivenType } from '../../event-types/catalogue/catalogue-type.ts'
import { parseCatalogueFile, parseSchemaFile } from '../../event-types/catalogue/parse-catalogue.ts'
import { readInput } from '../read-input.ts'

/** Reads the event types of a folder of JSON Schemas, or of one file. */
export async function readSource(source: string): Promise<GivenType[]> {
  const isFolder = source !== '-' && (await stat(source)).isDirectory()
  if (!isFolder) return parseCatalogueFile(await readInput(source), path.basename(source))
  const files = (await readdir(source)).filter((file) => file.endsWith('.json')).toSorted()
  if (files.length === 0) {
    throw new Error(
      `The folder ${source} has no JSON Schemas. Add one for each event type, such as order.paid.json.`,
    )
  }
  const types: GivenType[] = []
  for (const file of files) {
    types.push(parseSchemaFile(await readFile(path.join(source, file)), file))
  }
  return types
}
