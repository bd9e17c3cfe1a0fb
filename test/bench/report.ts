import os from 'node:os'
import { meetsBound, type Row, toJson, toText } from './row.ts'

/** Prints each row immediately, and all rows as a table at the end. */
export interface Report {
  add(row: Row): void
  end(tookMs: number): void
}

/** With JSON, standard output gets one value, and rows are printed on standard error. */
export function createReport(asJson: boolean): Report {
  const rows: Row[] = []
  return {
    add(row) {
      rows.push(row)
      if (asJson) console.error(toText(row))
      else console.log(toText(row))
    },
    end(tookMs) {
      if (asJson)
        console.log(JSON.stringify({ ...machine(), tookMs, rows: rows.map(toJson) }, null, 2))
      else printTable(rows, tookMs)
    },
  }
}

function printTable(rows: readonly Row[], tookMs: number): void {
  const bounded = rows.filter((row) => row.bound)
  const met = bounded.filter(meetsBound)
  const { cpus, cpu, memoryGb, node } = machine()
  console.log(`\n${cpus} × ${cpu}, ${memoryGb} GB, Node ${node}`)
  for (const row of rows) console.log(toText(row))
  console.log(`\n${met.length} of ${bounded.length} bounds met in ${Math.round(tookMs / 1_000)} s`)
}

function machine() {
  return {
    cpus: os.availableParallelism(),
    cpu: os.cpus()[0]?.model.trim() ?? os.arch(),
    memoryGb: Math.round(os.totalmem() / 1e9),
    node: process.versions.node,
  }
}
