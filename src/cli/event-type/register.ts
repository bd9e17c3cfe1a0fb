import type { Command } from 'commander'
import { registerEventTypeRetention } from '../retention.ts'
import { registerArchive, registerUnarchive } from './archive.ts'
import { registerCreate } from './create.ts'
import { registerExport } from './export.ts'
import { registerGraph } from './graph.ts'
import { registerImport } from './import.ts'
import { registerList } from './list.ts'
import { registerTypes } from './types.ts'

/** `posthorn event-type create`, `list`, `archive`, `unarchive`, `export`, `import`, `types` and `graph`. */
export function registerEventType(program: Command): void {
  const eventType = program.command('event-type').summary('manage the catalogue of event types')
  registerCreate(eventType)
  registerList(eventType)
  registerEventTypeRetention(eventType)
  registerArchive(eventType)
  registerUnarchive(eventType)
  registerExport(eventType)
  registerImport(eventType)
  registerTypes(eventType)
  registerGraph(eventType)
}
